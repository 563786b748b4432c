import type { Kysely } from 'kysely';
import type { Store, Tables } from '../schema/tables.ts';

/**
 * What names a device and must be unique among all of them: the hash of its key, IMEI and serial number. It is kept apart
 * from devices, which may be on several servers: a small table of those that are not deleted, which every server has whole.
 */

/** To be called in each transaction that changes one of these, or whether the device is deleted. */
export async function keysChanged(tx: Kysely<Tables>, deviceId: number): Promise<void> {
  const keys = ['keyHash', 'imei', 'serial'] as const;
  const device = await tx
    .selectFrom('devices')
    .select(keys)
    .where('id', '=', deviceId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  const before = await tx.selectFrom('deviceKeys').select(keys).where('deviceId', '=', deviceId).executeTakeFirst();
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

/** Finds the id of a device, which says its slot. */
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
