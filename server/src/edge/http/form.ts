import { badRequest } from '../../platform/errors.ts';
import { pairsOf } from './query.ts';

/** No body of the API nests deeper than this. */
const MAX_DEPTH = 6;

interface Branch {
  readonly inner: Map<string, Branch | string>;
}

/**
 * Parses `name=a&center[lat]=1&center[lng]=2&outline[0][lat]=1&tags[]=x`: brackets create objects; numbers and `[]`
 * create lists.
 */
export function formObject(text: string): Record<string, unknown> {
  const root: Branch = { inner: new Map() };
  for (const [name, value] of pairsOf(text, 'The form')) plant(root, pathOf(name), value, name);
  return objectOf(root);
}

function pathOf(name: string): string[] {
  const parts = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  // A name that is not a valid path becomes an unknown field.
  if (parts === null) return [name];
  const inner = [...parts[2]!.matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1]!);
  if (inner.length >= MAX_DEPTH) throw badRequest(`The form is nested more than ${MAX_DEPTH} levels deep`);
  return [parts[1]!, ...inner];
}

function plant(root: Branch, path: readonly string[], value: string, name: string): void {
  let branch = root;
  for (const [depth, step] of path.entries()) {
    const key = step === '' ? String(branch.inner.size) : step;
    const there = branch.inner.get(key);
    if (depth === path.length - 1) {
      if (there !== undefined) throw badRequest(`${name.slice(0, 100)} is given more than once`);
      branch.inner.set(key, value);
      return;
    }
    if (typeof there === 'string') throw badRequest(`${name.slice(0, 100)} is given more than once`);
    const next: Branch = there ?? { inner: new Map() };
    branch.inner.set(key, next);
    branch = next;
  }
}

function objectOf({ inner }: Branch): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, value] of inner) object[key] = typeof value === 'string' ? value : grown(value);
  return object;
}

/** Keys that count up from 0 create a list. */
function grown(branch: Branch): unknown {
  const keys = [...branch.inner.keys()];
  const isList = keys.every((key, index) => key === String(index));
  const object = objectOf(branch);
  return isList ? Object.values(object) : object;
}
