import type { Caller, Right } from '../../calls.ts';
import { whileUnchanged } from '../../platform/caches.ts';
import type { Scope } from '../../platform/collection.ts';
import { invalidField } from '../../refusals.ts';
import { holdsText, mayText } from '../rights.ts';
import type { Store } from '../schema/tables.ts';

/** Checks which devices a caller may view, manage or own. */
export interface DeviceAccess {
  rightOn(caller: Caller, deviceId: number): Promise<Right | undefined>;
  /** A device id in a body must name a device that the caller may see. */
  requireVisible(caller: Caller, deviceId: unknown, context: string, field: string): Promise<void>;
  /** A device id in a body that changes what is known of the device must name one that the caller may manage. */
  requireManaged(caller: Caller, deviceId: unknown, context: string, field: string): Promise<void>;
  /** Whether the caller may manage each of these, deleted or not; a purged device belongs to no user. */
  managesAll(caller: Caller, deviceIds: readonly number[]): Promise<boolean>;
  /** Whether the caller may still see the device, because an answer can take long. */
  isStillSeen(caller: Caller, deviceId: number): Promise<boolean>;
}

const NONE = 'none';

export function deviceAccess(store: Store): DeviceAccess {
  const lookUp = store.prepare<{ ownerId: number; rights: 'view' | 'manage' | null }>(
    'devices.rightOn',
    `SELECT d."ownerId", s."rights" FROM "devices" d
     LEFT JOIN "shares" s ON s."deviceId" = d."id" AND s."userId" = ?
     WHERE d."id" = ? AND d."deletedAt" IS NULL`,
  );
  const known = whileUnchanged<Right | typeof NONE>(store.changes, async (pair) => {
    const [userId, deviceId, admin] = pair.split(':');
    const device = await lookUp.get(Number(userId), Number(deviceId));
    if (device === undefined) return NONE;
    if (admin === 'admin' || device.ownerId === Number(userId)) return 'own';
    return device.rights ?? NONE;
  });

  async function rightOn(caller: Caller, deviceId: number): Promise<Right | undefined> {
    if (!isWithinToken(caller, deviceId)) return undefined;
    const right = await known(`${caller.userId}:${deviceId}:${caller.admin ? 'admin' : 'user'}`);
    return right === NONE ? undefined : right;
  }

  const unmanaged = store.prepare<{ id: number }>(
    'devices.unmanaged',
    `SELECT d."id" FROM "devices" d JOIN "users" u ON u."id" = ?
     WHERE d."id" = ? AND NOT ${holdsText('manage', 'u."id"', '?')}`,
  );
  const seen = store.prepare<{ id: number }>(
    'devices.stillSeen',
    `SELECT u."id" FROM "users" u WHERE u."id" = ? AND ${mayText('view', 'u."id"', '?')}`,
  );

  return {
    rightOn,
    async requireVisible(caller, deviceId, context, field) {
      if (deviceId === undefined || deviceId === null) return;
      if ((await rightOn(caller, deviceId as number)) === undefined) {
        throw invalidField(context, field, 'unknown', `is not a device you have access to: ${deviceId}`);
      }
    },
    async requireManaged(caller, deviceId, context, field) {
      if (deviceId === undefined || deviceId === null) return;
      const right = await rightOn(caller, deviceId as number);
      // What may only be viewed, what is unseen and what is not there look alike.
      if (right === undefined || right === 'view')
        throw invalidField(context, field, 'unknown', `is not a device you may manage: ${deviceId}`);
    },
    async managesAll(caller, deviceIds) {
      for (const id of deviceIds)
        if (!isWithinToken(caller, id) || (await unmanaged.get(caller.userId, id, id, id)) !== undefined) return false;
      return true;
    },
    isStillSeen: async ({ userId }, deviceId) => (await seen.get(userId, deviceId, deviceId)) !== undefined,
  };
}

/** Whether the token of a caller reaches a device. What the caller may do there is another question. */
export const isWithinToken = ({ scope }: Caller, deviceId: number | null): boolean =>
  scope?.deviceIds === undefined || (deviceId !== null && scope.deviceIds.includes(deviceId));

/** The rows of a scope whose device the token of the caller reaches. */
export function withinToken({ scope: limits }: Caller, scope: Scope, column = 'id'): Scope {
  if (limits?.deviceIds === undefined) return scope;
  // Numbers from the row of the token, so they are safe in the SQL text.
  const ids = limits.deviceIds.map(Number).join(', ');
  return { ...scope, sql: `(${scope.sql}) AND "${column}" IN (${ids})` };
}

/** The devices a user may see: own and shared. */
export const visibleTo = (userId: number): Scope => ({
  sql: '"deletedAt" IS NULL AND ("ownerId" = ? OR "id" IN (SELECT "deviceId" FROM "shares" WHERE "userId" = ?))',
  cells: [userId, userId],
});

export const EVERY_DEVICE: Scope = { sql: '"deletedAt" IS NULL', cells: [] };
export const DELETED_DEVICES: Scope = { sql: '"deletedAt" IS NOT NULL', cells: [] };
