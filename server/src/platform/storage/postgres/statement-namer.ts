import type { SlotKeys } from '../placement.ts';
import { oneSlotNamer } from './citus/one-slot.ts';
import { type SlotNamer, slotNamer } from './slots/name-slots.ts';

/**
 * Statements in the form for sending: with their slots, and in the form that one server can do whole where there are
 * several.
 */
export function statementNamer(keys: SlotKeys | undefined): SlotNamer {
  const named = slotNamer(keys);
  return keys?.isSpread ? oneSlotNamer(named, keys) : named;
}

/**
 * A name identifies one statement. PostgreSQL refuses a second one under the same name, so both engines refuse it right
 * away.
 */
export function statementNames(): (name: string, sql: string) => void {
  const taken = new Map<string, string>();
  return (name, sql) => {
    if ((taken.get(name) ?? sql) !== sql) throw new Error(`The name ${name} is already used for another statement.`);
    taken.set(name, sql);
  };
}
