import { flagOf, isObject, listOf, named, refuse } from './value.ts';

/** A relation to include in each row. Its scope is a filter of the related table that is not parsed yet. */
export interface Include {
  readonly relation: string;
  readonly scope: unknown;
  /** The scope was parsed from brackets, which `parseFilterObject` must know. */
  readonly loose: boolean;
}

/**
 * Reads `"config"`, `["config", "points"]`, `{relation, scope}`, `{config: true}`, `{points: {scope}}`, or a list of
 * these.
 */
export function readInclude(value: unknown, relations: readonly string[], loose: boolean): Include[] {
  const found = new Map<string, Include>();
  const add = (relation: unknown, scope: unknown) => {
    if (typeof relation !== 'string') refuse('include', 'a relation must be a name');
    if (!relations.includes(relation)) refuse('include', `unknown relation ${named(relation)}`);
    if (scope !== undefined && scope !== null && !isObject(scope)) {
      refuse('include', `the scope of ${named(relation)} must be an object`);
    }
    found.set(relation, { relation, scope: scope ?? undefined, loose });
  };
  const addEach = (one: unknown, depth: number): void => {
    if (typeof one === 'string') {
      for (const name of one.split(',')) if (name.trim() !== '') add(name.trim(), undefined);
      return;
    }
    const list = listOf(one, loose && isObject(one));
    if (list) {
      if (depth > 1) refuse('include', 'must be a name, a list, or {relation, scope}');
      for (const inside of list) addEach(inside, depth + 1);
    } else if (!isObject(one)) refuse('include', 'must be a name, a list, or {relation, scope}');
    else if (Object.hasOwn(one, 'relation')) add(one.relation, one.scope);
    else for (const key of Object.keys(one)) addNamed(key, one[key]);
  };
  const addNamed = (relation: string, wish: unknown) => {
    if (isObject(wish)) add(relation, Object.hasOwn(wish, 'scope') ? wish.scope : wish);
    else if (flagOf(wish, `include.${named(relation)}`)) add(relation, undefined);
  };
  if (value !== undefined && value !== null) addEach(value, 0);
  return [...found.values()];
}
