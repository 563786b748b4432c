import type { Kysely } from 'kysely';
import { type RowBatch, runRows, updateOf } from '../../../platform/storage/bulk.ts';
import type { Cell } from '../../../platform/storage/shape.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Tables } from '../../schema/tables.ts';
import { dueOf } from '../judge/advance.ts';
import { STATE_FORM, stateText } from '../judge/device-state.ts';
import type { LockedState } from './lock-state.ts';
import { isBehind, settlesAt } from './settling.ts';

type Tx = Kysely<Tables>;

const SAVED_COLUMNS = {
  form: 'integer',
  state: 'text',
  newest: 'time',
  checkpointAt: 'time',
  sinceCheckpoint: 'integer',
  writes: 'integer',
  heardAt: 'time',
} as const;
const UNLESS_NULL = { heardAt: 'COALESCE({new}, "deviceStates"."heardAt")' };
const SAVE = updateOf('deviceStates', { ...SAVED_COLUMNS, deviceId: 'integer' }, UNLESS_NULL);
const MARKS = { lateFrom: 'time', hasRest: 'flag', dueAt: 'time', silentUntil: 'time', importFrom: 'time' } as const;
const SAVE_WITH_MARKS = updateOf('deviceStates', { ...SAVED_COLUMNS, ...MARKS, deviceId: 'integer' }, UNLESS_NULL);

export async function saveStates(tx: Tx, storeKind: StoreKind, stateRows: readonly LockedState[]): Promise<void> {
  await runRows(
    tx,
    storeKind,
    SAVE_WITH_MARKS,
    stateRows.map((stateRow) => cellsWithMarks(stateRow, null)),
  );
}

/** @param lastHeardAt when the device itself reported last, where that may matter to the due time */
export const saveState = (tx: Tx, storeKind: StoreKind, stateRow: LockedState, lastHeardAt: number | null = null) =>
  runRows(tx, storeKind, SAVE_WITH_MARKS, [cellsWithMarks(stateRow, null, lastHeardAt)]);

/**
 * Saves the states of devices that reported or were reported. The indexed columns are left alone where they may stay: a
 * due time that is too early is put right when it comes.
 */
export function stateUpdates(
  stateRows: readonly {
    readonly stateRow: LockedState;
    /** When the device itself reported, where it did. */
    readonly heardAt: number | null;
  }[],
): RowBatch[] {
  const plain: Cell[][] = [];
  const marked: Cell[][] = [];
  for (const { stateRow, heardAt } of stateRows) {
    if (areMarksRight(stateRow, heardAt)) plain.push([...stateCells(stateRow, heardAt), stateRow.deviceId]);
    else marked.push(cellsWithMarks(stateRow, heardAt));
  }
  return [
    [SAVE, plain],
    [SAVE_WITH_MARKS, marked],
  ];
}

/** While history is imported, what comes next is not later than the clock. */
const dueAtOf = ({ lateFrom, importFrom, state }: LockedState) =>
  lateFrom === null && importFrom === null ? dueOf(state) : undefined;

/** The due time as it is stored: not before a device that is behind has settled. */
const lookAtOf = ({ state }: LockedState, due: number, heardAt: number | null) =>
  heardAt !== null && isBehind(state.at, heardAt) ? Math.max(due, settlesAt(heardAt)) : due;

function areMarksRight(stateRow: LockedState, heardAt: number | null): boolean {
  const { lateFrom, dueAt, state } = stateRow.stored;
  if (stateRow.importFrom !== stateRow.stored.importFrom || stateRow.silentUntil !== stateRow.stored.silentUntil)
    return false;
  if (stateRow.lateFrom !== lateFrom || stateRow.hasRest !== stateRow.stored.hasRest) return false;
  const due = dueAtOf(stateRow);
  // Where nothing was judged, the due time is what it was.
  if (due === undefined || stateRow.state === state) return true;
  const lookAt = lookAtOf(stateRow, due, heardAt);
  return dueAt !== null && (lookAt === due ? dueAt <= due : dueAt === lookAt);
}

const stateCells = (stateRow: LockedState, heardAt: number | null): Cell[] => [
  STATE_FORM,
  stateText(stateRow.state),
  Number.isFinite(stateRow.newest) ? stateRow.newest : null,
  Number.isFinite(stateRow.checkpointAt) ? stateRow.checkpointAt : null,
  stateRow.sinceCheckpoint,
  ++stateRow.writes,
  heardAt,
];

function cellsWithMarks(stateRow: LockedState, heardAt: number | null, lastHeardAt = heardAt): Cell[] {
  const due = dueAtOf(stateRow);
  const dueAt = due === undefined ? null : lookAtOf(stateRow, due, lastHeardAt);
  const { lateFrom, hasRest, silentUntil, importFrom, deviceId } = stateRow;
  const marks = [lateFrom, hasRest ? 1 : 0, dueAt, Number.isFinite(silentUntil) ? silentUntil : null, importFrom];
  return [...stateCells(stateRow, heardAt), ...marks, deviceId];
}
