import type { Store } from '@trackway/server/domain/schema/tables.ts';
import { Failure, UsageError } from '../command.ts';

/** The device of an id on the command line; also one that was deleted, and can still be restored. */
export async function findDevice(store: Store, given: string) {
  if (!/^\d{1,15}$/.test(given)) throw new UsageError('A device is named by its id, a number.');
  const device = await store.query
    .selectFrom('devices')
    .select(['id', 'name', 'firstSeen', 'ownerId'])
    .where('id', '=', Number(given))
    .executeTakeFirst();
  if (device === undefined) throw new Failure(`Device ${given} not found.`);
  return device;
}
