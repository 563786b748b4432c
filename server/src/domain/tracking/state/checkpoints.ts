import type { Kysely } from 'kysely';
import type { Tables } from '../../schema/tables.ts';
import { type DeviceState, STATE_FORM, stateText, UNHEARD } from '../judge/device-state.ts';
import type { LockedState } from './lock-state.ts';

/** A checkpoint is stored after this many inputs or this much fix time, whichever comes first. */
const CHECKPOINT_INPUTS = 500;
const CHECKPOINT_MS = 3_600_000;

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

export async function saveCheckpoints(
  tx: Kysely<Tables>,
  deviceId: number,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  for (const { at, state } of checkpoints) {
    const row = { deviceId, at, form: STATE_FORM, state: stateText(state) };
    await tx
      .insertInto('checkpoints')
      .values(row)
      .onConflict((on) => on.columns(['deviceId', 'at']).doUpdateSet({ form: row.form, state: row.state }))
      .execute();
  }
}
