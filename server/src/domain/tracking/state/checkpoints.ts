import type { Kysely } from 'kysely';
import { type RowsStatement, runRows } from '../../../platform/storage/bulk.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Tables } from '../../schema/tables.ts';
import { type DeviceState, STATE_FORM, stateText, UNHEARD } from '../judge/device-state.ts';
import type { LockedState } from './lock-state.ts';

/**
 * A checkpoint is stored after this many inputs or this much fix time, whichever comes first. The inputs bound what a replay
 * has to judge; the time spares one that reports seldom a long way back, at two bytes for each position.
 */
const CHECKPOINT_INPUTS = 500;
const CHECKPOINT_MS = 3 * 3_600_000;

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

const COLUMNS = { deviceId: 'integer', at: 'time', form: 'integer', state: 'text' } as const;
const AGAIN = `ON CONFLICT ("deviceId", "at") DO UPDATE SET "form" = excluded."form", "state" = excluded."state"`;
const SAVE: RowsStatement = {
  columns: COLUMNS,
  sqlite: `INSERT INTO "checkpoints" ("deviceId", "at", "form", "state") VALUES (?, ?, ?, ?) ${AGAIN}`,
  postgres: `INSERT INTO "checkpoints" ("deviceId", "at", "form", "state") SELECT "deviceId", "at", "form", "state" FROM given ${AGAIN}`,
};

export async function saveCheckpoints(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  deviceId: number,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  if (checkpoints.length === 0) return;
  await runRows(
    tx,
    storeKind,
    SAVE,
    checkpoints.map(({ at, state }) => [deviceId, at, STATE_FORM, stateText(state)]),
  );
}
