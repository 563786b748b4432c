import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Touched } from '../../readings/operations.ts';
import { markLate } from '../replay/mark-late.ts';
import { notePlaces } from '../state/place-due.ts';

/** A reading was stored, changed or deleted by hand: what follows for the device it is about, and for where that was. */
export const readingTouched =
  (storeKind: StoreKind): Touched =>
  async (tx, deviceId, at) => {
    await markLate(tx, deviceId, at);
    await notePlaces(tx, storeKind, [{ deviceId, at, dueAt: 0 }]);
  };
