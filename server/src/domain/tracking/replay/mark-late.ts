import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../schema/tables.ts';

/** Sets the late mark of a device where an item of it was added, changed or deleted by hand. */
export async function markLate(tx: Kysely<Tables>, deviceId: number, at: number): Promise<void> {
  await tx
    .updateTable('deviceStates')
    .set((of) => ({
      lateFrom: sql<number>`CASE WHEN "lateFrom" IS NULL OR "lateFrom" > ${at} THEN ${at} ELSE "lateFrom" END`,
      newestAt: sql<number>`CASE WHEN "newestAt" IS NULL OR "newestAt" < ${at} THEN ${at} ELSE "newestAt" END`,
      version: of('version', '+', 1),
    }))
    .where('deviceId', '=', deviceId)
    .execute();
}
