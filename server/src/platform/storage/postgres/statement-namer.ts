import type { SlotKeys } from '../placement.ts';
import { oneSlotNamer } from './citus/one-slot.ts';
import { type SlotNamer, slotNamer } from './slots/slot-namer.ts';

/** Statements as they are sent: with their slots, and in the form that one server can do whole where there are several. */
export function statementNamer(keys: SlotKeys | undefined): SlotNamer {
  const named = slotNamer(keys);
  return keys?.isSpread ? oneSlotNamer(named, keys) : named;
}
