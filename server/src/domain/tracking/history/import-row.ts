import { type Kysely, sql } from 'kysely';
import type { ImportPart } from '../../../reports.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { INITIAL_STATE } from '../evaluate/device-state.ts';
import { lockState, readState } from '../state/lock-state.ts';
import { saveState } from '../state/save-state.ts';

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

/** A device that reported within this time continues normally: only imported or already notified events stay silent. */
const RECENT_REPORT_MS = 3_600_000;

/**
 * Ends the import of history for a device: from here on its clock goes on, and what did not come in order is evaluated
 * from its beginning, in slices. Events until now send no notifications, even if they are detected later.
 * @returns whether something must be evaluated
 */
export function endImport(store: Store, deviceId: number, now: number): Promise<boolean> {
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, deviceId);
    if (stateRow === undefined) return false;
    if (stateRow.importFrom === null) {
      const waits = await tx
        .selectFrom('deviceStates')
        .select('isRebuilding')
        .where('deviceId', '=', deviceId)
        .executeTakeFirst();
      if (waits?.isRebuilding === 0) await importsDone(tx, deviceId);
      return false;
    }
    const { importFrom, state } = stateRow;
    const { reportedAt } = (await readState(tx, deviceId))!;
    const isSilent = reportedAt === null || reportedAt < now - RECENT_REPORT_MS;
    stateRow.silentUntil = Math.max(
      stateRow.silentUntil,
      isSilent ? now : state.at === INITIAL_STATE.at ? Number.NEGATIVE_INFINITY : state.at,
    );
    stateRow.importFrom = null;
    const isInOrder = importFrom === Number.MAX_SAFE_INTEGER;
    if (!isInOrder) {
      stateRow.lateFrom = Math.min(stateRow.lateFrom ?? Number.POSITIVE_INFINITY, importFrom);
      await tx.updateTable('deviceStates').set({ isRebuilding: 1 }).where('deviceId', '=', deviceId).execute();
    }
    await saveState(tx, stateRow, reportedAt);
    if (isInOrder) await importsDone(tx, deviceId);
    return !isInOrder;
  });
}

/** All that was imported is evaluated. */
export async function importsDone(tx: Kysely<Tables>, deviceId: number): Promise<void> {
  await tx
    .updateTable('historyImports')
    .set({ status: 'done' })
    .where('deviceId', '=', deviceId)
    .where('status', '=', 'judging')
    .execute();
}

const ABANDONED_MS = 3_600_000;
const AT_ONCE = 100;

/** Ends abandoned imports. */
export async function endAbandonedImports(
  store: Store,
  now: number,
  end: (deviceId: number) => Promise<void>,
): Promise<void> {
  const left = await store.query
    .selectFrom('historyImports')
    .select(['id', 'deviceId'])
    .where('status', '!=', 'done')
    .where('touchedAt', '<', now - ABANDONED_MS)
    .limit(AT_ONCE)
    .execute();
  for (const { id, deviceId } of left) {
    const ended = { status: 'judging', touchedAt: now } as const;
    await store.query
      .updateTable('historyImports')
      .set((of) => ({ ...ended, ended: of.fn.coalesce('ended', of.val(now)) }))
      .where('id', '=', id)
      .execute();
    await end(deviceId);
  }
}
