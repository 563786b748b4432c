import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../schema/tables.ts';

/** Something about a device was added, changed or deleted by hand: late data at its time, to be judged again. */
export async function touch(tx: Kysely<Tables>, deviceId: number, at: number): Promise<void> {
  await tx
    .updateTable('deviceStates')
    .set((of) => ({
      dirtyFrom: sql<number>`CASE WHEN "dirtyFrom" IS NULL OR "dirtyFrom" > ${at} THEN ${at} ELSE "dirtyFrom" END`,
      newest: sql<number>`CASE WHEN "newest" IS NULL OR "newest" < ${at} THEN ${at} ELSE "newest" END`,
      appends: of('appends', '+', 1),
    }))
    .where('deviceId', '=', deviceId)
    .execute();
}
