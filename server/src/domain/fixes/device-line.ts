import type { Kysely } from 'kysely';
import type { Engine } from '../../platform/storage/database.ts';
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

/** Takes the line of a device for this transaction; undefined where the device is gone. */
export async function takeLine(tx: Kysely<Tables>, engine: Engine, deviceId: number): Promise<DeviceLine | undefined> {
  const locked = tx
    .selectFrom('deviceStates')
    .innerJoin('devices', 'devices.id', 'deviceStates.deviceId')
    .selectAll('deviceStates')
    .select(['devices.name', 'devices.deletedAt'])
    .where('deviceStates.deviceId', '=', deviceId);
  // On SQLite a transaction that writes is alone anyway.
  const row = await (engine === 'postgres' ? locked.forUpdate('deviceStates') : locked).executeTakeFirst();
  if (row === undefined || row.deletedAt !== null) return undefined;
  const known = row.form === STATE_FORM;
  return {
    deviceId,
    deviceName: row.name ?? `Device ${deviceId}`,
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

export async function keepLine(tx: Kysely<Tables>, line: DeviceLine, heardAt?: number): Promise<void> {
  const due = line.dirtyFrom === null ? dueOf(line.state) : undefined;
  await tx
    .updateTable('deviceStates')
    .set({
      form: STATE_FORM,
      state: JSON.stringify(line.state),
      newest: Number.isFinite(line.newest) ? line.newest : null,
      checkpointAt: Number.isFinite(line.checkpointAt) ? line.checkpointAt : null,
      sinceCheckpoint: line.sinceCheckpoint,
      dirtyFrom: line.dirtyFrom,
      appends: line.appends,
      dueAt: due ?? null,
      ...(heardAt !== undefined && { heardAt }),
    })
    .where('deviceId', '=', line.deviceId)
    .execute();
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
