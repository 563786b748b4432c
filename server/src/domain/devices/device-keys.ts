import type { ReportingIdentity } from '../../calls.ts';
import type { Vault } from '../../platform/vault.ts';
import type { Store, Tx } from '../schema/tables.ts';

/**
 * What names a device and must be unique among all of them: the hash of its key, IMEI and serial number. It is stored
 * separately from devices, which may be on several servers: a small table of the devices that are not deleted, with a
 * copy on every server.
 */

/** What others can know and enter too, unlike a key. */
export const IDENTITY = ['imei', 'serial'] as const;
type IdentityField = (typeof IDENTITY)[number];

/**
 * To be called in each transaction that changes one of these, or whether the device is deleted. Of a device whose
 * identity is pending, only what had taken effect before, and what is approved, takes effect.
 */
export async function keysChanged(tx: Tx, deviceId: number, approved: readonly IdentityField[] = []): Promise<void> {
  const keys = ['keyHash', 'imei', 'serial'] as const;
  const stored = await tx
    .selectFrom('devices')
    .select([...keys, 'identityPending'])
    .where('id', '=', deviceId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  const before = await tx.selectFrom('deviceKeys').select(keys).where('deviceId', '=', deviceId).executeTakeFirst();
  const device = stored && { keyHash: stored.keyHash, imei: stored.imei, serial: stored.serial };
  if (device && stored.identityPending === 1) {
    const claimed = IDENTITY.filter((field) => !approved.includes(field) && before?.[field] !== device[field]);
    for (const field of claimed) device[field] = null;
    if (IDENTITY.every((field) => device[field] === stored[field]))
      await tx.updateTable('devices').set({ identityPending: 0 }).where('id', '=', deviceId).execute();
  }
  // A write is one for all servers, so there is none where nothing changes.
  if (device === undefined) {
    if (before !== undefined) await tx.deleteFrom('deviceKeys').where('deviceId', '=', deviceId).execute();
  } else if (before === undefined)
    await tx
      .insertInto('deviceKeys')
      .values({ deviceId, ...device })
      .execute();
  else if (keys.some((key) => before[key] !== device[key]))
    await tx.updateTable('deviceKeys').set(device).where('deviceId', '=', deviceId).execute();
}

/** Approves the names that the device still has. Returns whether it has any of them. */
export async function approveIdentity(tx: Tx, deviceId: number, names: readonly string[]): Promise<boolean> {
  // Written first, so that the owner cannot enter another identity meanwhile.
  const device = await tx
    .updateTable('devices')
    .set({ identityPending: 1 })
    .where('id', '=', deviceId)
    .where('deletedAt', 'is', null)
    .returning(IDENTITY)
    .executeTakeFirst();
  const approved = IDENTITY.filter((field) => device?.[field] && names.includes(device[field]));
  await keysChanged(tx, deviceId, approved);
  return approved.length > 0;
}

/** Finds devices of a user by identities that are pending, which identify them to that user only. */
export function ownClaims(store: Pick<Store, 'prepare'>) {
  const by = (column: IdentityField) => {
    const statement = store.prepare<{ id: number }>(
      `devices.claim.${column}`,
      `SELECT "id" FROM "devices" WHERE "ownerId" = ? AND "identityPending" = 1 AND "${column}" = ? AND "deletedAt" IS NULL
       ORDER BY "id" LIMIT 1`,
    );
    return async (value: string, userId: number) => (await statement.get(userId, value))?.id;
  };
  return { imei: by('imei'), serial: by('serial') };
}

/** Finds the id of a device. */
export function deviceIdsByKey(store: Pick<Store, 'prepare'>) {
  const by = (column: 'keyHash' | 'imei' | 'serial') => {
    const statement = store.prepare<{ id: number }>(
      `deviceKeys.${column}`,
      `SELECT "deviceId" AS "id" FROM "deviceKeys" WHERE "${column}" = ?`,
    );
    return async (value: string) => (await statement.get(value))?.id;
  };
  return { keyHash: by('keyHash'), imei: by('imei'), serial: by('serial') };
}

export const deviceSecretContext = (deviceId: number) => `devices.secret:${deviceId}`;

/** Identifies the device that reports: by its key, or by its identifier alone if the device allows that. */
export function deviceKeys(store: Store, vault: Vault) {
  const ids = deviceIdsByKey(store);
  const keyless = store.prepare<{ identityPending: number }>(
    'devices.keyless',
    'SELECT "identityPending" FROM "devices" WHERE "id" = ? AND "deletedAt" IS NULL AND "allowKeyless" = 1',
  );
  const secret = store.prepare<{ secret: string | null }>(
    'devices.secret',
    'SELECT "secret" FROM "devices" WHERE "id" = ? AND "deletedAt" IS NULL',
  );
  return {
    async secretOf(deviceId: number) {
      const stored = (await secret.get(deviceId))?.secret;
      return stored ? vault.open(stored, deviceSecretContext(deviceId)) : undefined;
    },
    deviceOfKeyHash: ids.keyHash,
    async deviceOfIdentifier(identifier: string): Promise<ReportingIdentity | undefined> {
      for (const find of [ids.serial, ids.imei]) {
        const deviceId = await find(identifier);
        const device = deviceId === undefined ? undefined : await keyless.get(deviceId);
        if (device) return { deviceId: deviceId!, ...(device.identityPending === 0 && { identifier }) };
      }
    },
  };
}
