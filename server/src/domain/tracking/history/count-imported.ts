import { type Kysely, sql } from 'kysely';
import type { ImportPart } from '../../../reports.ts';
import type { Tables } from '../../schema/tables.ts';

interface CountedPart {
  readonly deviceId: number;
  /** The times of plausible positions, including positions that existed already. */
  readonly times: readonly number[];
  readonly duplicates: number;
  readonly now: number;
}

/**
 * Counts what an import has received, in the transaction that stores it: a client that resends after a crash continues
 * with what is not stored. A simultaneous call with the same positions has counted them.
 */
export async function countImported(
  tx: Kysely<Tables>,
  { importId, receivedBefore, sent }: ImportPart,
  { deviceId, times, duplicates, now }: CountedPart,
): Promise<void> {
  let [least, most]: [number | null, number | null] = [null, null];
  for (const at of times) {
    least = Math.min(least ?? at, at);
    most = Math.max(most ?? at, at);
  }
  const [firstAt, lastAt] = [sql.ref<number | null>('firstAt'), sql.ref<number | null>('lastAt')];
  await tx
    .updateTable('historyImports')
    .set({
      received: receivedBefore + sent,
      stored: sql`"stored" + ${times.length - duplicates}`,
      duplicates: sql`"duplicates" + ${duplicates}`,
      refused: sql`"refused" + ${sent - times.length}`,
      ...(least !== null && {
        firstAt: sql`CASE WHEN ${firstAt} < ${least} THEN ${firstAt} ELSE ${least} END`,
        lastAt: sql`CASE WHEN ${lastAt} > ${most} THEN ${lastAt} ELSE ${most} END`,
      }),
      touchedAt: now,
    })
    .where('deviceId', '=', deviceId)
    .where('id', '=', importId)
    .where('received', '=', receivedBefore)
    .execute();
}
