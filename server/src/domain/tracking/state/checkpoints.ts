import type { Kysely } from 'kysely';
import { type RowsStatement, runRows } from '../../../platform/storage/bulk.ts';
import type { Tables } from '../../schema/tables.ts';
import { type DeviceState, INITIAL_STATE, stateText } from '../judge/device-state.ts';
import type { LockedState } from './lock-state.ts';

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
export const SAVE: RowsStatement = {
  columns: COLUMNS,
  sqlite: `INSERT INTO "checkpoints" ("deviceId", "at", "state") VALUES (?, ?, ?) ${AGAIN}`,
  postgres: `INSERT INTO "checkpoints" ("deviceId", "at", "state") SELECT "deviceId", "at", "state" FROM given ${AGAIN}`,
};

export async function saveCheckpoints(
  tx: Kysely<Tables>,
  deviceId: number,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  if (checkpoints.length === 0) return;
  await runRows(
    tx,
    SAVE,
    checkpoints.map(({ at, state }) => [deviceId, at, stateText(state)]),
  );
}
