import { type Kysely, sql } from 'kysely';
import {
  givenValues,
  insertAtHome,
  type RowBatch,
  type RowsStatement,
  runRows,
} from '../../../platform/storage/bulk.ts';
import type { Cell } from '../../../platform/storage/shape.ts';
import type { Tables } from '../../schema/tables.ts';
import { dueOf } from '../evaluate/advance.ts';
import { type DeviceState, INITIAL_STATE, stateText, storedText } from '../evaluate/device-state.ts';
import { type LockedState, SAVE, SAVE_WITH_MARKS } from './lock-state.ts';

/**
 * A device that was without a network sends what it kept, in several reports: it speaks now of what was a while ago.
 * Until it has caught up, or sends no more, the clock must not take for silence what is only still on its way.
 */

/** A device is behind when its newest input is older than this at the time of its report. */
const BEHIND_MS = 60_000;
/** Phones that could not send try again after half a minute; one that was silent for longer has sent what it had. */
const SETTLE_MS = 60_000;
/** Settling ends at whole steps, so that not every report moves it. */
const STEP_MS = 15_000;

/** @param at of the newest input */
export const isBehind = (at: number, reportedAt: number) => at < reportedAt - BEHIND_MS;

/** When a device that is behind will have settled, if it does not report any more. */
export const settlesAt = (reportedAt: number) => Math.ceil((reportedAt + SETTLE_MS) / STEP_MS) * STEP_MS;

type Tx = Kysely<Tables>;

export async function saveStates(tx: Tx, stateRows: readonly LockedState[]): Promise<void> {
  await runRows(
    tx,
    SAVE_WITH_MARKS,
    stateRows.map((stateRow) => cellsWithMarks(stateRow, null)),
  );
}

/** @param lastReportedAt when the device itself reported last, where that may matter to the due time */
export const saveState = (tx: Tx, stateRow: LockedState, lastReportedAt: number | null = null) =>
  runRows(tx, SAVE_WITH_MARKS, [cellsWithMarks(stateRow, null, lastReportedAt)]);

/**
 * Saves the states of devices that reported or were reported. The indexed columns are left alone where they may stay: a
 * due time that is too early is put right when it comes.
 */
export function stateUpdates(
  stateRows: readonly {
    readonly stateRow: LockedState;
    /** When the device itself reported, where it did. */
    readonly reportedAt: number | null;
  }[],
): RowBatch[] {
  const plain: Cell[][] = [];
  const marked: Cell[][] = [];
  for (const { stateRow, reportedAt } of stateRows) {
    if (areMarksRight(stateRow, reportedAt)) plain.push([...stateCells(stateRow, reportedAt), stateRow.deviceId]);
    else marked.push(cellsWithMarks(stateRow, reportedAt));
  }
  return [
    [SAVE, plain],
    [SAVE_WITH_MARKS, marked],
  ];
}

/** While history is imported, what comes next is not later than the clock. */
const dueAtOf = ({ lateFrom, importFrom, state }: LockedState) =>
  lateFrom === null && importFrom === null ? dueOf(state) : undefined;

/** The stored due time: not before a device that is behind has settled. */
const lookAtOf = ({ state }: LockedState, due: number, reportedAt: number | null) =>
  reportedAt !== null && isBehind(state.at, reportedAt) ? Math.max(due, settlesAt(reportedAt)) : due;

function areMarksRight(stateRow: LockedState, reportedAt: number | null): boolean {
  const { lateFrom, dueAt, state } = stateRow.stored;
  if (stateRow.importFrom !== stateRow.stored.importFrom) return false;
  if (stateRow.lateFrom !== lateFrom || stateRow.hasBacklog !== stateRow.stored.hasBacklog) return false;
  const due = dueAtOf(stateRow);
  // Where nothing was evaluated, the due time is what it was.
  if (due === undefined || stateRow.state === state) return true;
  const lookAt = lookAtOf(stateRow, due, reportedAt);
  return dueAt !== null && (lookAt === due ? dueAt <= due : dueAt === lookAt);
}

const stateCells = (stateRow: LockedState, reportedAt: number | null): Cell[] => [
  storedText(stateRow),
  Number.isFinite(stateRow.newestAt) ? stateRow.newestAt : null,
  ++stateRow.version,
  reportedAt,
];

function cellsWithMarks(stateRow: LockedState, reportedAt: number | null, lastReportedAt = reportedAt): Cell[] {
  const due = dueAtOf(stateRow);
  const dueAt = due === undefined ? null : lookAtOf(stateRow, due, lastReportedAt);
  const { lateFrom, hasBacklog, importFrom, deviceId } = stateRow;
  const marks = [lateFrom, hasBacklog ? 1 : 0, dueAt, importFrom];
  return [...stateCells(stateRow, reportedAt), ...marks, deviceId];
}

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

/**
 * A checkpoint is stored after this many inputs or after this much fix time. The number of inputs bounds the work of a
 * replay. The time limits how far back the replay of a device that rarely reports starts, at two bytes for each
 * position.
 */
const CHECKPOINT_INPUTS = 500;
const CHECKPOINT_MS = 3 * 3_600_000;

/** Whether the state before an input at `at` is worth a checkpoint. */
export function isCheckpointDue(
  stateRow: Pick<LockedState, 'state' | 'checkpointAt' | 'inputsSinceCheckpoint'>,
  at: number,
): boolean {
  if (stateRow.state.at === INITIAL_STATE.at || stateRow.state.at === at) return false;
  return stateRow.inputsSinceCheckpoint >= CHECKPOINT_INPUTS || at - stateRow.checkpointAt >= CHECKPOINT_MS;
}

export interface Checkpoint {
  readonly at: number;
  readonly state: DeviceState;
}

const COLUMNS = { deviceId: 'integer', at: 'time', state: 'text' } as const;
const AGAIN = `ON CONFLICT ("deviceId", "at") DO UPDATE SET "state" = excluded."state"`;
export const SAVE_CHECKPOINT: RowsStatement = {
  columns: COLUMNS,
  sqlite: `INSERT INTO "checkpoints" ("deviceId", "at", "state") VALUES (?, ?, ?) ${AGAIN}`,
  postgres: `INSERT INTO "checkpoints" ("deviceId", "at", "state") SELECT "deviceId", "at", "state" FROM given ${AGAIN}`,
  spread: insertAtHome('checkpoints', COLUMNS, givenValues(COLUMNS), { end: AGAIN }),
};

export async function saveCheckpoints(
  tx: Kysely<Tables>,
  deviceId: number,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  if (checkpoints.length === 0) return;
  await runRows(
    tx,
    SAVE_CHECKPOINT,
    checkpoints.map(({ at, state }) => [deviceId, at, stateText(state)]),
  );
}
