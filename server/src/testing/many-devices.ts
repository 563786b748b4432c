import { newDeviceKey } from '../domain/devices/create.ts';
import { fingerprint } from '../platform/secrets.ts';
import { newId } from '../platform/storage/database.ts';
import type { TestDatabasePlace } from './databases.ts';
import { lookInto } from './place.ts';

const AT_ONCE = 200;

/**
 * Makes more devices like the first one of a store, with their keys: tens of thousands in seconds. No server may run on
 * the store.
 */
export function makeManyDevices(place: TestDatabasePlace, count: number): Promise<string[]> {
  return lookInto(place, (store) =>
    store.transaction(async (tx) => {
      const first = await tx.selectFrom('devices').selectAll().orderBy('id').limit(1).executeTakeFirstOrThrow();
      const config = tx.selectFrom('deviceConfigs').selectAll().where('deviceId', '=', first.id);
      const { id: _, ...settings } = (await config.executeTakeFirstOrThrow()) as object & { id: number };
      const state = await tx
        .selectFrom('deviceStates')
        .selectAll()
        .where('deviceId', '=', first.id)
        .executeTakeFirstOrThrow();
      const keys = Array.from({ length: count }, newDeviceKey);
      for (let start = 0; start < count; start += AT_ONCE) {
        const devices = await Promise.all(
          keys.slice(start, start + AT_ONCE).map(async (key, index) => ({
            ...(await newId(tx as never, 'devices')),
            name: `Device ${start + index + 1}`,
            ownerId: first.ownerId,
            firstSeen: first.firstSeen,
            keyHash: fingerprint(key),
          })),
        );
        const made = await tx
          .insertInto('devices')
          .values(devices as never)
          .returning(['id', 'keyHash'])
          .execute();
        await tx
          .insertInto('deviceKeys')
          .values(made.map(({ id, keyHash }) => ({ deviceId: id, keyHash })) as never)
          .execute();
        await tx
          .insertInto('deviceConfigs')
          .values(made.map(({ id }) => ({ ...settings, deviceId: id })) as never)
          .execute();
        await tx
          .insertInto('deviceStates')
          .values(made.map(({ id }) => ({ ...state, deviceId: id })) as never)
          .execute();
      }
      return keys;
    }),
  );
}
