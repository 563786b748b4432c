import type { Operation } from '@trackway/contract/operation.ts';
import { parametersOf } from '@trackway/contract/operations.ts';
import { parseId } from '@trackway/contract/values.ts';
import type { Caller, Gate, Right } from '../../calls.ts';
import { whileSame } from '../../platform/unchanged-cache.ts';
import { accessDenied, childNotFound, modelNotFound, secondFactorDemanded } from '../../refusals.ts';

/** The user and object that a path names, after the access check. */
export interface PathTarget {
  readonly deviceId: number;
  readonly right: Right;
  readonly userId: number;
  readonly key: number;
}

export type FindTarget = (caller: Caller | undefined, parameters: Record<string, string>) => Promise<PathTarget>;

const RANK: Record<Right, number> = { view: 1, manage: 2, own: 3 };
/** Shortens an unknown id for an error message. */
const shown = (id: string) => id.slice(0, 100);

/** Chooses, once at mount time, how the ids of a path are read and checked. */
export function targetFinder(operation: Operation, gate: Gate): FindTarget {
  const rightOn = whileSame(gate.rightOn);
  const [first, second] = parametersOf(operation);
  const segments = operation.path.split('/');
  const parent = segments[1]!.replace(/s$/, '');
  const child = second ? segments[segments.indexOf(`{${second}}`) - 1]!.replace(/s$/, '') : '';
  const underUser = operation.path.startsWith(`/users/{${first}}`);

  const keyOf = (parameters: Record<string, string>) => {
    if (second === undefined) return 0;
    const key = parseId(parameters[second]!);
    if (key === undefined) throw childNotFound(child, shown(parameters[second]!));
    return key;
  };

  async function deviceTarget(needed: Right, caller: Caller, parameters: Record<string, string>): Promise<PathTarget> {
    const text = parameters[first!]!;
    const deviceId = parseId(text);
    const right = deviceId === undefined ? undefined : await rightOn(caller, deviceId);
    if (deviceId === undefined || right === undefined) throw modelNotFound('device', deviceId ?? shown(text));
    if (RANK[right] < RANK[needed]) throw accessDenied();
    return { deviceId, right, userId: caller.userId, key: keyOf(parameters) };
  }

  async function userTarget(caller: Caller, parameters: Record<string, string>): Promise<PathTarget> {
    const text = parameters[first!]!;
    const userId = userIdOf(text, caller);
    if (userId !== caller.userId) {
      // A limited token never acts for another user.
      if (!caller.admin || caller.scope !== undefined) throw accessDenied();
      if (userId === undefined || !(await gate.userExists(userId))) throw modelNotFound('user', userId ?? shown(text));
    }
    return { deviceId: 0, right: 'view', userId: userId!, key: second === undefined ? userId! : keyOf(parameters) };
  }

  function plainTarget(caller: Caller | undefined, parameters: Record<string, string>): PathTarget {
    const userId = caller?.userId ?? 0;
    if (first === undefined) return { deviceId: 0, right: 'view', userId, key: 0 };
    const text = parameters[first]!;
    const key = underUser && caller ? userIdOf(text, caller) : parseId(text);
    if (key === undefined) throw modelNotFound(parent, shown(text));
    return { deviceId: 0, right: 'view', userId, key };
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
        // A caller without access must not learn that the device exists.
        if (parent === 'device' && first !== undefined) await deviceTarget('view', caller!, parameters);
        throw caller!.lacksSecondFactor ? secondFactorDemanded() : accessDenied();
      };
    default:
      return async (caller, parameters) => plainTarget(caller, parameters);
  }
}

/** `me` means the caller. The id of a user may be in quotes, because its published format is JSON. */
function userIdOf(text: string, caller: Caller): number | undefined {
  const bare = /^"(.*)"$/.exec(text)?.[1] ?? text;
  return bare === 'me' ? caller.userId : parseId(bare);
}
