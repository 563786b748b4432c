import { CompiledQuery, type Kysely } from 'kysely';
import { type RowBatch, runRows, updateOf } from '../../../platform/storage/bulk.ts';
import { prepareText } from '../../../platform/storage/postgres/prepared-texts.ts';
import type { Cell } from '../../../platform/storage/shape.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Tables } from '../../schema/tables.ts';
import { dueOf } from '../judge/advance.ts';
import { type DeviceState, STATE_FORM, stateText, UNHEARD } from '../judge/device-state.ts';
import { anythingPending } from './pending.ts';
import { isBehind, settlesAt } from './settling.ts';
import type { StateCache } from './state-cache.ts';

type Tx = Kysely<Tables>;

/** Where a device stands in its line of inputs: its state row, which is also its lock. */
export interface LockedState {
  readonly deviceId: number;
  readonly deviceName: string;
  state: DeviceState;
  newest: number;
  checkpointAt: number;
  sinceCheckpoint: number;
  lateFrom: number | null;
  /** Another number whenever something was appended or the line was written. */
  writes: number;
  readonly rules: number;
  /** As it was when the line was taken. */
  readonly stored: { readonly lateFrom: number | null; readonly dueAt: number | null; readonly state: DeviceState };
}

/** A checkpoint is saved after this many inputs or this much fix time, whichever comes first. */
const CHECKPOINT_INPUTS = 500;
const CHECKPOINT_MS = 3_600_000;

interface StoredState {
  readonly deviceId: number;
  readonly form: number;
  readonly newest: number | null;
  readonly checkpointAt: number | null;
  readonly sinceCheckpoint: number;
  readonly lateFrom: number | null;
  readonly writes: number;
  readonly dueAt: number | null;
  readonly rules: number;
  readonly name: string | null;
}

const STATE_COLUMNS = `s."deviceId", s."form", s."newest", s."checkpointAt", s."sinceCheckpoint", s."lateFrom", s."writes",
  s."dueAt", s."rules", d."name"`;
const FROM_STATES = 'FROM "deviceStates" s JOIN "devices" d ON d."id" = s."deviceId" WHERE d."deletedAt" IS NULL AND';

/** In one order, so that nobody waits for someone who waits for them. On SQLite a transaction that writes is alone. */
const locked = (what: string): Record<StoreKind, string> => ({
  sqlite: `SELECT ${what} ${FROM_STATES} s."deviceId" IN (SELECT "value" FROM json_each(?)) ORDER BY s."deviceId"`,
  postgres: prepareText(
    `SELECT ${what} ${FROM_STATES} s."deviceId" = ANY($1::BIGINT[]) ORDER BY s."deviceId" FOR UPDATE OF s`,
  ),
});
const LOCK_STATES = locked(`${STATE_COLUMNS}, s."state"`);
const LOCK_REPORTING = locked(`${STATE_COLUMNS}, d."keyHash", ${anythingPending('d."id"')} AS "waits"`);
const READ_STATES: Record<StoreKind, string> = {
  sqlite: 'SELECT "deviceId", "state" FROM "deviceStates" WHERE "deviceId" IN (SELECT "value" FROM json_each(?))',
  postgres: prepareText('SELECT "deviceId", "state" FROM "deviceStates" WHERE "deviceId" = ANY($1::BIGINT[])'),
};

async function select<R>(
  tx: Tx,
  storeKind: StoreKind,
  texts: Record<StoreKind, string>,
  ids: readonly number[],
): Promise<R[]> {
  const list = storeKind === 'sqlite' ? `[${ids}]` : `{${ids}}`;
  return (await tx.executeQuery<R>(CompiledQuery.raw(texts[storeKind], [list]))).rows;
}

/** Takes the lines of devices for this transaction; of a device that is gone there is none. */
export async function lockStates(
  tx: Tx,
  storeKind: StoreKind,
  deviceIds: readonly number[],
): Promise<Map<number, LockedState>> {
  const rows = await select<StoredState & { state: string }>(tx, storeKind, LOCK_STATES, deviceIds);
  return new Map(rows.map((row) => [row.deviceId, rowOf(row, () => JSON.parse(row.state))]));
}

export async function lockState(tx: Tx, storeKind: StoreKind, deviceId: number): Promise<LockedState | undefined> {
  return (await lockStates(tx, storeKind, [deviceId])).get(deviceId);
}

/** The line of a device that speaks, with what it takes to hear it out and to answer it. */
export interface LockedReportingState extends LockedState {
  /** Of the key that it must have come with. */
  readonly keyHash: string | null;
  /** Whether there are messages or settings for it. */
  readonly hasPending: boolean;
}

/** The same for many that speak: states that are known need not be read. */
export async function lockReportingStates(
  tx: Tx,
  storeKind: StoreKind,
  deviceIds: readonly number[],
  known: StateCache,
): Promise<Map<number, LockedReportingState>> {
  type SpeakingRow = StoredState & { readonly keyHash: string | null; readonly waits: number };
  const rows = await select<SpeakingRow>(tx, storeKind, LOCK_REPORTING, deviceIds);
  const unknown = rows.filter((row) => known.find(row) === undefined).map(({ deviceId }) => deviceId);
  const read =
    unknown.length === 0
      ? []
      : await select<Pick<StoredState, 'deviceId'> & { state: string }>(tx, storeKind, READ_STATES, unknown);
  const states = new Map(read.map(({ deviceId, state }) => [deviceId, state]));
  const stateOf = (row: StoredState) => known.find(row) ?? (JSON.parse(states.get(row.deviceId)!) as DeviceState);
  return new Map(
    rows.map((row) => [
      row.deviceId,
      Object.assign(
        rowOf(row, () => stateOf(row)),
        { keyHash: row.keyHash, hasPending: row.waits !== 0 },
      ),
    ]),
  );
}

function rowOf(row: StoredState, stateOf: () => DeviceState): LockedState {
  const known = row.form === STATE_FORM;
  // A state of another form, where there was one, is rebuilt from the beginning.
  const lateFrom = known || row.newest === null ? row.lateFrom : 0;
  const state = known ? stateOf() : UNHEARD;
  return {
    deviceId: row.deviceId,
    deviceName: row.name ?? `Device ${row.deviceId}`,
    state,
    newest: row.newest ?? Number.NEGATIVE_INFINITY,
    checkpointAt: row.checkpointAt ?? Number.NEGATIVE_INFINITY,
    sinceCheckpoint: row.sinceCheckpoint,
    lateFrom,
    writes: row.writes,
    rules: row.rules,
    stored: { lateFrom: row.lateFrom, dueAt: row.dueAt, state },
  };
}

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
const MARKS = { lateFrom: 'time', dueAt: 'time' } as const;
const SAVE_WITH_MARKS = updateOf('deviceStates', { ...SAVED_COLUMNS, ...MARKS, deviceId: 'integer' }, UNLESS_NULL);

export async function saveStates(tx: Tx, storeKind: StoreKind, stateRows: readonly LockedState[]): Promise<void> {
  await runRows(
    tx,
    storeKind,
    SAVE_WITH_MARKS,
    stateRows.map((stateRow) => cellsWithMarks(stateRow, null)),
  );
}

/** @param lastHeardAt when the device itself spoke last, where that may matter to what is due */
export const saveState = (tx: Tx, storeKind: StoreKind, stateRow: LockedState, lastHeardAt: number | null = null) =>
  runRows(tx, storeKind, SAVE_WITH_MARKS, [cellsWithMarks(stateRow, null, lastHeardAt)]);

/**
 * What keeps the lines of devices that spoke or were spoken of. Their indexed columns are left alone where that serves as
 * well: when a line is due may stand there too early, and is put right by the clock.
 * @param heardAt when the device itself spoke, where it did
 */
export function stateUpdates(
  stateRows: readonly { readonly stateRow: LockedState; readonly heardAt: number | null }[],
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

const dueAtOf = ({ lateFrom, state }: LockedState) => (lateFrom === null ? dueOf(state) : undefined);

/** When the clock is to look at what is due: not before a device that is behind has settled. */
const lookAtOf = ({ state }: LockedState, due: number, heardAt: number | null) =>
  heardAt !== null && isBehind(state.at, heardAt) ? Math.max(due, settlesAt(heardAt)) : due;

function areMarksRight(stateRow: LockedState, heardAt: number | null): boolean {
  const { lateFrom, dueAt, state } = stateRow.stored;
  if (stateRow.lateFrom !== lateFrom) return false;
  const due = dueAtOf(stateRow);
  // Where nothing was judged, it may have said no more than that it is there.
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
  return [...stateCells(stateRow, heardAt), stateRow.lateFrom, dueAt, stateRow.deviceId];
}

/** Whether the state before an input at `at` is worth a checkpoint. */
export function isCheckpointDue(
  stateRow: Pick<LockedState, 'state' | 'checkpointAt' | 'sinceCheckpoint'>,
  at: number,
): boolean {
  if (stateRow.state.at === UNHEARD.at || stateRow.state.at === at) return false;
  return stateRow.sinceCheckpoint >= CHECKPOINT_INPUTS || at - stateRow.checkpointAt >= CHECKPOINT_MS;
}

export interface Checkpoint {
  readonly at: number;
  readonly state: DeviceState;
}

export async function saveCheckpoints(tx: Tx, deviceId: number, checkpoints: readonly Checkpoint[]): Promise<void> {
  for (const { at, state } of checkpoints) {
    const row = { deviceId, at, form: STATE_FORM, state: stateText(state) };
    await tx
      .insertInto('checkpoints')
      .values(row)
      .onConflict((on) => on.columns(['deviceId', 'at']).doUpdateSet({ form: row.form, state: row.state }))
      .execute();
  }
}
