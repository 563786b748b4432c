import { type Kysely, sql } from 'kysely';
import type { ImportPart } from '../../../reports.ts';
import type { Tables } from '../../schema/tables.ts';

interface CountedPart {
  readonly deviceId: number;
  /** Of the positions that can be right, those that were there already among them. */
  readonly times: readonly number[];
  readonly duplicates: number;
  readonly now: number;
}

/**
 * Counts what an import has received, in the transaction that stores it: whoever sends again after a crash goes on with
 * what is not stored. Whoever sent the same at the same time has counted it.
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
      touched: now,
    })
    .where('deviceId', '=', deviceId)
    .where('id', '=', importId)
    .where('received', '=', receivedBefore)
    .execute();
}
