import type { Store } from '@trackway/server/domain/schema/tables.ts';
import { Failure, UsageError } from '../command.ts';

/** The device with an id from the command line, including deleted ones that can still be restored. */
export async function findDevice(store: Store, given: string) {
  if (!/^\d{1,15}$/.test(given)) throw new UsageError('Specify the id of the device, a number.');
  const device = await store.query
    .selectFrom('devices')
    .select(['id', 'name', 'firstSeen', 'ownerId'])
    .where('id', '=', Number(given))
    .executeTakeFirst();
  if (device === undefined) throw new Failure(`Device ${given} not found.`);
  return device;
}
