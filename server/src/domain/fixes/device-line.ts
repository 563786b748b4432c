import { CompiledQuery, type Kysely } from 'kysely';
import type { Engine } from '../../platform/storage/database.ts';
import { runMany, updateOf } from '../../platform/storage/insert-many.ts';
import type { Tables } from '../schema/tables.ts';
import { dueOf, type Effects } from './advance.ts';
import { type DeviceState, STATE_FORM, UNHEARD } from './device-state.ts';

/** Where a device stands in its line of inputs: its state row, which is also its lock. */
export interface DeviceLine {
  readonly deviceId: number;
  readonly deviceName: string;
  state: DeviceState;
  newest: number;
  checkpointAt: number;
  sinceCheckpoint: number;
  dirtyFrom: number | null;
  appends: number;
  readonly rules: number;
}

/** A checkpoint is kept after so many inputs or so much fix time, whichever is first. */
const CHECKPOINT_INPUTS = 500;
const CHECKPOINT_MS = 3_600_000;

interface LineRow {
  readonly deviceId: number;
  readonly form: number;
  readonly state: string;
  readonly newest: number | null;
  readonly checkpointAt: number | null;
  readonly sinceCheckpoint: number;
  readonly dirtyFrom: number | null;
  readonly appends: number;
  readonly rules: number;
  readonly name: string | null;
}

const LINES = `SELECT s."deviceId", s."form", s."state", s."newest", s."checkpointAt", s."sinceCheckpoint", s."dirtyFrom",
  s."appends", s."rules", d."name" FROM "deviceStates" s JOIN "devices" d ON d."id" = s."deviceId"
  WHERE d."deletedAt" IS NULL AND s."deviceId"`;
/** In one order, so that nobody waits for someone who waits for them. On SQLite a transaction that writes is alone. */
const TAKE_LINES: Record<Engine, string> = {
  sqlite: `${LINES} IN (SELECT "value" FROM json_each(?)) ORDER BY s."deviceId"`,
  postgres: `${LINES} = ANY($1::BIGINT[]) ORDER BY s."deviceId" FOR UPDATE OF s`,
};

/** Takes the lines of devices for this transaction; of a device that is gone there is none. */
export async function takeLines(
  tx: Kysely<Tables>,
  engine: Engine,
  deviceIds: readonly number[],
): Promise<Map<number, DeviceLine>> {
  const cells = engine === 'sqlite' ? JSON.stringify(deviceIds) : deviceIds;
  const { rows } = await tx.executeQuery<LineRow>(CompiledQuery.raw(TAKE_LINES[engine], [cells]));
  return new Map(rows.map((row) => [row.deviceId, lineOf(row)]));
}

export async function takeLine(tx: Kysely<Tables>, engine: Engine, deviceId: number): Promise<DeviceLine | undefined> {
  return (await takeLines(tx, engine, [deviceId])).get(deviceId);
}

function lineOf(row: LineRow): DeviceLine {
  const known = row.form === STATE_FORM;
  return {
    deviceId: row.deviceId,
    deviceName: row.name ?? `Device ${row.deviceId}`,
    state: known ? (JSON.parse(row.state) as DeviceState) : UNHEARD,
    newest: row.newest ?? Number.NEGATIVE_INFINITY,
    checkpointAt: row.checkpointAt ?? Number.NEGATIVE_INFINITY,
    sinceCheckpoint: row.sinceCheckpoint,
    // A state of another form, where there was one, is rebuilt from the beginning.
    dirtyFrom: known || row.newest === null ? row.dirtyFrom : 0,
    appends: row.appends,
    rules: row.rules,
  };
}

const KEPT_LINES = updateOf(
  'deviceStates',
  'deviceId',
  ['form', 'state', 'newest', 'checkpointAt', 'sinceCheckpoint', 'dirtyFrom', 'appends', 'dueAt'],
  ['heardAt'],
);

/** `heardAt`: when the device itself spoke, where it did. */
export async function keepLines(
  tx: Kysely<Tables>,
  engine: Engine,
  lines: readonly { readonly line: DeviceLine; readonly heardAt?: number }[],
): Promise<void> {
  const rows = lines.map(({ line, heardAt }) => [
    line.deviceId,
    STATE_FORM,
    JSON.stringify(line.state),
    Number.isFinite(line.newest) ? line.newest : null,
    Number.isFinite(line.checkpointAt) ? line.checkpointAt : null,
    line.sinceCheckpoint,
    line.dirtyFrom,
    line.appends,
    (line.dirtyFrom === null ? dueOf(line.state) : undefined) ?? null,
    heardAt ?? null,
  ]);
  await runMany(tx, engine, KEPT_LINES, rows);
}

export const keepLine = (tx: Kysely<Tables>, engine: Engine, line: DeviceLine) => keepLines(tx, engine, [{ line }]);

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

export async function keepCheckpoints(
  tx: Kysely<Tables>,
  deviceId: number,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  for (const { at, state } of checkpoints) {
    const row = { deviceId, at, form: STATE_FORM, state: JSON.stringify(state) };
    await tx
      .insertInto('checkpoints')
      .values(row)
      .onConflict((on) => on.columns(['deviceId', 'at']).doUpdateSet({ form: row.form, state: row.state }))
      .execute();
  }
}

export const noEffects = (): Effects => ({ firings: [], crossings: [], trips: [], stops: [], implausible: [] });

export function addEffects(all: Effects, more: Effects): void {
  all.firings.push(...more.firings);
  all.crossings.push(...more.crossings);
  all.trips.push(...more.trips);
  all.stops.push(...more.stops);
  all.implausible.push(...more.implausible);
}
