import type { Operation, Version } from '@trackway/contract/operation.ts';
import { parametersOf } from '@trackway/contract/operations.ts';
import { parseId } from '@trackway/contract/values.ts';
import type { Caller, Gate, Right } from '../../calls.ts';
import { whileSame } from '../../platform/caches.ts';
import { accessDenied, childNotFound, modelNotFound, secondFactorDemanded } from '../../refusals.ts';

/** The user and object that a path refers to, after the access check. */
interface PathTarget {
  readonly deviceId: number;
  readonly right: Right;
  readonly userId: number;
  readonly key: number;
  readonly keys: Readonly<Record<string, number>>;
  readonly texts: Readonly<Record<string, string>>;
}

type Given = Readonly<Record<string, string>>;

export type FindTarget = (caller: Caller | undefined, parameters: Given) => Promise<PathTarget>;

const RANK: Record<Right, number> = { view: 1, manage: 2, own: 3 };
const NONE = Object.freeze({});
/** Shortens an unknown id for an error message. */
const shown = (id: string) => id.slice(0, 100);

/** Determines once, at mount time, how the ids of a path are parsed and checked. */
export function targetFinder(operation: Operation, version: Version, gate: Gate): FindTarget {
  const rightOn = whileSame(gate.rightOn);
  const names = parametersOf(operation);
  const [first] = names;
  const segments = operation.path.split('/');
  const parent = segments[1]!.replace(/s$/, '');
  const underUser = operation.path.startsWith(`/users/{${first}}`);
  const textual = names.filter((name) => operation.texts?.includes(name));
  /** The further parameters that are ids, and their types. */
  const children = names
    .slice(1)
    .filter((name) => !textual.includes(name))
    .map((name) => ({ name, child: segments[segments.indexOf(`{${name}}`) - 1]!.replace(/s$/, '') }));

  /** @param own the id in the first parameter, if it is one */
  function placesOf(parameters: Given, own: number | undefined) {
    const texts = textual.length === 0 ? NONE : Object.fromEntries(textual.map((name) => [name, parameters[name]!]));
    const keys: Record<string, number> = own === undefined ? {} : { [first!]: own };
    for (const { name, child } of children) {
      const key = parseId(parameters[name]!);
      if (key === undefined) throw childNotFound(child, shown(parameters[name]!));
      keys[name] = key;
    }
    return { keys, texts };
  }
  const childIn = (keys: Readonly<Record<string, number>>) => (children.length === 0 ? 0 : keys[children[0]!.name]!);

  async function deviceTarget(needed: Right, caller: Caller, parameters: Given): Promise<PathTarget> {
    const text = parameters[first!]!;
    const deviceId = operation.byIdentifier ? await gate.deviceNamed(caller, text) : parseId(text);
    const right = deviceId === undefined ? undefined : await rightOn(caller, deviceId);
    if (deviceId === undefined || right === undefined)
      throw modelNotFound('device', operation.byIdentifier ? shown(text) : (deviceId ?? shown(text)));
    if (RANK[right] < RANK[needed]) throw accessDenied();
    const { keys, texts } = placesOf(parameters, deviceId);
    return { deviceId, right, userId: caller.userId, key: childIn(keys), keys, texts };
  }

  async function userTarget(caller: Caller, parameters: Given): Promise<PathTarget> {
    const text = parameters[first!]!;
    const userId = userIdOf(text, caller, version);
    if (userId !== caller.userId) {
      // A token with a scope never acts for another user.
      if (!caller.admin || caller.scope !== undefined) throw accessDenied();
      if (userId === undefined || !(await gate.userExists(userId))) throw modelNotFound('user', userId ?? shown(text));
    }
    const { keys, texts } = placesOf(parameters, userId);
    const key = children.length === 0 ? userId! : childIn(keys);
    return { deviceId: 0, right: 'view', userId: userId!, key, keys, texts };
  }

  function plainTarget(caller: Caller | undefined, parameters: Given): PathTarget {
    const userId = caller?.userId ?? 0;
    if (first === undefined) return { deviceId: 0, right: 'view', userId, key: 0, keys: NONE, texts: NONE };
    if (textual.includes(first))
      return { deviceId: 0, right: 'view', userId, key: 0, ...placesOf(parameters, undefined) };
    const text = parameters[first]!;
    const key = underUser && caller ? userIdOf(text, caller, version) : parseId(text);
    if (key === undefined) throw modelNotFound(parent, shown(text));
    return { deviceId: 0, right: 'view', userId, key, ...placesOf(parameters, key) };
  }

  switch (operation.access) {
    case 'view':
    case 'manage':
    case 'own': {
      const needed = operation.access;
      return (caller, parameters) => deviceTarget(needed, caller!, parameters);
    }
    case 'self':
      return (caller, parameters) => userTarget(caller!, parameters);
    case 'admin':
      return async (caller, parameters) => {
        if (caller!.admin) return plainTarget(caller, parameters);
        // A caller without access must not learn whether the device exists.
        if (parent === 'device' && first !== undefined) await deviceTarget('view', caller!, parameters);
        throw caller!.lacksSecondFactor ? secondFactorDemanded() : accessDenied();
      };
    default:
      return async (caller, parameters) => plainTarget(caller, parameters);
  }
}

/**
 * `me` means the caller, and so does `0` in version 2. A user id may be in quotes, because its published format is
 * JSON.
 */
function userIdOf(text: string, caller: Caller, version: Version): number | undefined {
  const bare = unquoted(text);
  return bare === 'me' || (version === 'v2' && bare === '0') ? caller.userId : parseId(bare);
}

const unquoted = (text: string) => /^"(.*)"$/.exec(text)?.[1] ?? text;

/** Whether a path segment can be a user. With any other word, the path does not exist. */
export const isUserWord = (text: string) => /^(me|\d+(\.\d+)?)$/.test(unquoted(text));
