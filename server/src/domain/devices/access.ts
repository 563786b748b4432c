import type { Caller, Right } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { whileUnchanged } from '../../platform/unchanged-cache.ts';
import { invalidField } from '../../refusals.ts';
import type { Store } from '../schema/tables.ts';

/** Who may do what with which device. */
export interface DeviceAccess {
  rightOn(caller: Caller, deviceId: number): Promise<Right | undefined>;
  /** A key in a body must name a device that the caller may see. */
  requireVisible(caller: Caller, deviceId: unknown, context: string, field: string): Promise<void>;
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
    const right = await known(`${caller.userId}:${deviceId}:${caller.admin ? 'admin' : 'user'}`);
    return right === NONE ? undefined : right;
  }

  return {
    rightOn,
    async requireVisible(caller, deviceId, context, field) {
      if (deviceId === undefined || deviceId === null) return;
      if ((await rightOn(caller, deviceId as number)) === undefined) {
        throw invalidField(context, field, 'unknown', `is not a device you have access to: ${deviceId}`);
      }
    },
  };
}

/** The devices a user may see: own and shared. */
export const visibleTo = (userId: number): Scope => ({
  sql: '"deletedAt" IS NULL AND ("ownerId" = ? OR "id" IN (SELECT "deviceId" FROM "shares" WHERE "userId" = ?))',
  cells: [userId, userId],
});

export const EVERY_DEVICE: Scope = { sql: '"deletedAt" IS NULL', cells: [] };
export const DELETED_DEVICES: Scope = { sql: '"deletedAt" IS NOT NULL', cells: [] };
