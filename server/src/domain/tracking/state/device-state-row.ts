import { CompiledQuery, type Kysely } from 'kysely';
import type { Engine } from '../../../platform/storage/database.ts';
import { type RowsToKeep, runRows, updateOf } from '../../../platform/storage/each-row.ts';
import { prepareText } from '../../../platform/storage/postgres/prepared-texts.ts';
import type { Cell } from '../../../platform/storage/shape.ts';
import type { Tables } from '../../schema/tables.ts';
import { dueOf } from '../judge/advance.ts';
import { type DeviceState, STATE_FORM, stateText, UNHEARD } from '../judge/device-state.ts';
import { anythingWaits } from './pending.ts';
import { isBehind, settlesAt } from './settling.ts';
import type { KnownStates } from './state-cache.ts';

type Tx = Kysely<Tables>;

/** Where a device stands in its line of inputs: its state row, which is also its lock. */
export interface DeviceLine {
  readonly deviceId: number;
  readonly deviceName: string;
  state: DeviceState;
  newest: number;
  checkpointAt: number;
  sinceCheckpoint: number;
  dirtyFrom: number | null;
  /** Another number whenever something was appended or the line was written. */
  appends: number;
  readonly rules: number;
  /** As it was when the line was taken. */
  readonly stored: { readonly dirtyFrom: number | null; readonly dueAt: number | null; readonly state: DeviceState };
}

/** A checkpoint is kept after so many inputs or so much fix time, whichever is first. */
const CHECKPOINT_INPUTS = 500;
const CHECKPOINT_MS = 3_600_000;

interface LineRow {
  readonly deviceId: number;
  readonly form: number;
  readonly newest: number | null;
  readonly checkpointAt: number | null;
  readonly sinceCheckpoint: number;
  readonly dirtyFrom: number | null;
  readonly appends: number;
  readonly dueAt: number | null;
  readonly rules: number;
  readonly name: string | null;
}

const LINE = `s."deviceId", s."form", s."newest", s."checkpointAt", s."sinceCheckpoint", s."dirtyFrom", s."appends",
  s."dueAt", s."rules", d."name"`;
const LINES = 'FROM "deviceStates" s JOIN "devices" d ON d."id" = s."deviceId" WHERE d."deletedAt" IS NULL AND';

/** In one order, so that nobody waits for someone who waits for them. On SQLite a transaction that writes is alone. */
const locked = (what: string): Record<Engine, string> => ({
  sqlite: `SELECT ${what} ${LINES} s."deviceId" IN (SELECT "value" FROM json_each(?)) ORDER BY s."deviceId"`,
  postgres: prepareText(
    `SELECT ${what} ${LINES} s."deviceId" = ANY($1::BIGINT[]) ORDER BY s."deviceId" FOR UPDATE OF s`,
  ),
});
const TAKE_LINES = locked(`${LINE}, s."state"`);
const TAKE_SPEAKING = locked(`${LINE}, d."keyHash", ${anythingWaits('d."id"')} AS "waits"`);
const STATES: Record<Engine, string> = {
  sqlite: 'SELECT "deviceId", "state" FROM "deviceStates" WHERE "deviceId" IN (SELECT "value" FROM json_each(?))',
  postgres: prepareText('SELECT "deviceId", "state" FROM "deviceStates" WHERE "deviceId" = ANY($1::BIGINT[])'),
};

async function select<R>(tx: Tx, engine: Engine, texts: Record<Engine, string>, ids: readonly number[]): Promise<R[]> {
  const list = engine === 'sqlite' ? `[${ids}]` : `{${ids}}`;
  return (await tx.executeQuery<R>(CompiledQuery.raw(texts[engine], [list]))).rows;
}

/** Takes the lines of devices for this transaction; of a device that is gone there is none. */
export async function takeLines(
  tx: Tx,
  engine: Engine,
  deviceIds: readonly number[],
): Promise<Map<number, DeviceLine>> {
  const rows = await select<LineRow & { state: string }>(tx, engine, TAKE_LINES, deviceIds);
  return new Map(rows.map((row) => [row.deviceId, lineOf(row, () => JSON.parse(row.state))]));
}

export async function takeLine(tx: Tx, engine: Engine, deviceId: number): Promise<DeviceLine | undefined> {
  return (await takeLines(tx, engine, [deviceId])).get(deviceId);
}

/** The line of a device that speaks, with what it takes to hear it out and to answer it. */
export interface SpeakingLine extends DeviceLine {
  /** Of the key that it must have come with. */
  readonly keyHash: string | null;
  /** Whether there are messages or settings for it. */
  readonly hasWaiting: boolean;
}

/** The same for many that speak: states that are known need not be read. */
export async function takeSpeaking(
  tx: Tx,
  engine: Engine,
  deviceIds: readonly number[],
  known: KnownStates,
): Promise<Map<number, SpeakingLine>> {
  type SpeakingRow = LineRow & { readonly keyHash: string | null; readonly waits: number };
  const rows = await select<SpeakingRow>(tx, engine, TAKE_SPEAKING, deviceIds);
  const unknown = rows.filter((row) => known.find(row) === undefined).map(({ deviceId }) => deviceId);
  const read =
    unknown.length === 0
      ? []
      : await select<Pick<LineRow, 'deviceId'> & { state: string }>(tx, engine, STATES, unknown);
  const states = new Map(read.map(({ deviceId, state }) => [deviceId, state]));
  const stateOf = (row: LineRow) => known.find(row) ?? (JSON.parse(states.get(row.deviceId)!) as DeviceState);
  return new Map(
    rows.map((row) => [
      row.deviceId,
      Object.assign(
        lineOf(row, () => stateOf(row)),
        { keyHash: row.keyHash, hasWaiting: row.waits !== 0 },
      ),
    ]),
  );
}

function lineOf(row: LineRow, stateOf: () => DeviceState): DeviceLine {
  const known = row.form === STATE_FORM;
  // A state of another form, where there was one, is rebuilt from the beginning.
  const dirtyFrom = known || row.newest === null ? row.dirtyFrom : 0;
  const state = known ? stateOf() : UNHEARD;
  return {
    deviceId: row.deviceId,
    deviceName: row.name ?? `Device ${row.deviceId}`,
    state,
    newest: row.newest ?? Number.NEGATIVE_INFINITY,
    checkpointAt: row.checkpointAt ?? Number.NEGATIVE_INFINITY,
    sinceCheckpoint: row.sinceCheckpoint,
    dirtyFrom,
    appends: row.appends,
    rules: row.rules,
    stored: { dirtyFrom: row.dirtyFrom, dueAt: row.dueAt, state },
  };
}

const KEPT = {
  form: 'integer',
  state: 'text',
  newest: 'time',
  checkpointAt: 'time',
  sinceCheckpoint: 'integer',
  appends: 'integer',
  heardAt: 'time',
} as const;
const UNLESS_NULL = { heardAt: 'COALESCE({new}, "deviceStates"."heardAt")' };
const KEEP = updateOf('deviceStates', { ...KEPT, deviceId: 'integer' }, UNLESS_NULL);
const MARKS = { dirtyFrom: 'time', dueAt: 'time' } as const;
const KEEP_MARKED = updateOf('deviceStates', { ...KEPT, ...MARKS, deviceId: 'integer' }, UNLESS_NULL);

export async function keepLines(tx: Tx, engine: Engine, lines: readonly DeviceLine[]): Promise<void> {
  await runRows(
    tx,
    engine,
    KEEP_MARKED,
    lines.map((line) => markedCells(line, null)),
  );
}

/** @param lastHeardAt when the device itself spoke last, where that may matter to what is due */
export const keepLine = (tx: Tx, engine: Engine, line: DeviceLine, lastHeardAt: number | null = null) =>
  runRows(tx, engine, KEEP_MARKED, [markedCells(line, null, lastHeardAt)]);

/**
 * What keeps the lines of devices that spoke or were spoken of. Their indexed columns are left alone where that serves as
 * well: when a line is due may stand there too early, and is put right by the clock.
 * @param heardAt when the device itself spoke, where it did
 */
export function speakingRows(
  lines: readonly { readonly line: DeviceLine; readonly heardAt: number | null }[],
): RowsToKeep[] {
  const plain: Cell[][] = [];
  const marked: Cell[][] = [];
  for (const { line, heardAt } of lines) {
    if (isMarkedRight(line, heardAt)) plain.push([...keptCells(line, heardAt), line.deviceId]);
    else marked.push(markedCells(line, heardAt));
  }
  return [
    [KEEP, plain],
    [KEEP_MARKED, marked],
  ];
}

const dueAtOf = ({ dirtyFrom, state }: DeviceLine) => (dirtyFrom === null ? dueOf(state) : undefined);

/** When the clock is to look at what is due: not before a device that is behind has settled. */
const lookAtOf = ({ state }: DeviceLine, due: number, heardAt: number | null) =>
  heardAt !== null && isBehind(state.at, heardAt) ? Math.max(due, settlesAt(heardAt)) : due;

function isMarkedRight(line: DeviceLine, heardAt: number | null): boolean {
  const { dirtyFrom, dueAt, state } = line.stored;
  if (line.dirtyFrom !== dirtyFrom) return false;
  const due = dueAtOf(line);
  // Where nothing was judged, it may have said no more than that it is there.
  if (due === undefined || line.state === state) return true;
  const lookAt = lookAtOf(line, due, heardAt);
  return dueAt !== null && (lookAt === due ? dueAt <= due : dueAt === lookAt);
}

const keptCells = (line: DeviceLine, heardAt: number | null): Cell[] => [
  STATE_FORM,
  stateText(line.state),
  Number.isFinite(line.newest) ? line.newest : null,
  Number.isFinite(line.checkpointAt) ? line.checkpointAt : null,
  line.sinceCheckpoint,
  ++line.appends,
  heardAt,
];

function markedCells(line: DeviceLine, heardAt: number | null, lastHeardAt = heardAt): Cell[] {
  const due = dueAtOf(line);
  const dueAt = due === undefined ? null : lookAtOf(line, due, lastHeardAt);
  return [...keptCells(line, heardAt), line.dirtyFrom, dueAt, line.deviceId];
}

/** Whether the state before an input at `at` is worth a checkpoint. */
export function isCheckpointDue(
  line: Pick<DeviceLine, 'state' | 'checkpointAt' | 'sinceCheckpoint'>,
  at: number,
): boolean {
  if (line.state.at === UNHEARD.at || line.state.at === at) return false;
  return line.sinceCheckpoint >= CHECKPOINT_INPUTS || at - line.checkpointAt >= CHECKPOINT_MS;
}

export interface Checkpoint {
  readonly at: number;
  readonly state: DeviceState;
}

export async function keepCheckpoints(tx: Tx, deviceId: number, checkpoints: readonly Checkpoint[]): Promise<void> {
  for (const { at, state } of checkpoints) {
    const row = { deviceId, at, form: STATE_FORM, state: stateText(state) };
    await tx
      .insertInto('checkpoints')
      .values(row)
      .onConflict((on) => on.columns(['deviceId', 'at']).doUpdateSet({ form: row.form, state: row.state }))
      .execute();
  }
}
