import type { Store } from '../../schema/tables.ts';
import { UNHEARD } from '../judge/device-state.ts';
import { lockState, readState } from '../state/lock-state.ts';
import { saveState } from '../state/save-state.ts';

/** A device that was heard within this time lives on its own clock: only what was imported, or told, is silent. */
const HEARD_LATELY_MS = 3_600_000;

/**
 * Ends the import of history for a device: from here on its clock goes on, and what did not come in order is judged from
 * its beginning, in slices. What happened until now is told nobody, whenever it becomes known.
 * @returns whether something is to be judged
 */
export function endImport(store: Store, deviceId: number, now: number): Promise<boolean> {
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, store.storeKind, deviceId);
    if (stateRow === undefined || stateRow.importFrom === null) return false;
    const { importFrom, state } = stateRow;
    const { heardAt } = (await readState(tx, deviceId))!;
    const isSilent = heardAt === null || heardAt < now - HEARD_LATELY_MS;
    stateRow.silentUntil = Math.max(
      stateRow.silentUntil,
      isSilent ? now : state.at === UNHEARD.at ? Number.NEGATIVE_INFINITY : state.at,
    );
    stateRow.importFrom = null;
    const isInOrder = importFrom === Number.MAX_SAFE_INTEGER;
    if (!isInOrder) {
      stateRow.lateFrom = Math.min(stateRow.lateFrom ?? Number.POSITIVE_INFINITY, importFrom);
      await tx.updateTable('deviceStates').set({ rebuilds: 1 }).where('deviceId', '=', deviceId).execute();
    }
    await saveState(tx, store.storeKind, stateRow, heardAt);
    return !isInOrder;
  });
}
