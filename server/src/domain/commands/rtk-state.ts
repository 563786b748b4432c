import type { RtkStatus } from '@trackway/contract/resources/commands/rtk.ts';
import type { Kysely } from 'kysely';
import type { RtkStateRow } from '../schema/rows/command-rows.ts';
import type { Tables } from '../schema/tables.ts';

/** What a device said of its receiver; undefined where it said nothing yet. */
export async function readStatus(on: Kysely<Tables>, deviceId: number): Promise<Partial<RtkStatus> | undefined> {
  const known = await on.selectFrom('rtkStates').select('status').where('deviceId', '=', deviceId).executeTakeFirst();
  return known?.status ? (JSON.parse(known.status) as Partial<RtkStatus>) : undefined;
}

export async function setRtkState(
  tx: Kysely<Tables>,
  deviceId: number,
  values: Partial<Omit<RtkStateRow, 'deviceId'>>,
): Promise<void> {
  await tx
    .insertInto('rtkStates')
    .values({ deviceId, ...values })
    .onConflict((on) => on.column('deviceId').doUpdateSet(values))
    .execute();
}
