import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/**
 * Whether the ignition of a vehicle is on. Readings of type `ignition` say so. For a device that sends none, bit 32 of
 * `alertType` does: a position with the bit says on, the next one without it says off. Pure, but for what is stored of it.
 */

export interface Ignition {
  readonly isOn: boolean;
  readonly knownBy: 'reading' | 'alert';
}

/** From this moment on it is on, or off. */
export interface IgnitionChange {
  readonly at: number;
  readonly isOn: boolean;
}

const IGNITION_BIT = 32;
const READING_TYPE = 'ignition';
const ON: readonly unknown[] = [true, 1, 'true', '1', 'on'];
const OFF: readonly unknown[] = [false, 0, 'false', '0', 'off'];

/** Whether a reading says that the ignition is on, or off; undefined where it says neither. */
export function ignitionIn({ type, value }: { readonly type: string; readonly value: unknown }): boolean | undefined {
  if (type !== READING_TYPE) return undefined;
  const said = typeof value === 'string' ? value.trim().toLowerCase() : value;
  return ON.includes(said) ? true : OFF.includes(said) ? false : undefined;
}

export const hasIgnitionBit = ({ alerts }: { readonly alerts: number }) => (alerts & IGNITION_BIT) !== 0;

/** Readings say more than the bit, so the bit counts only until the first of them. */
export function ignitionByFix(before: Ignition | undefined, fix: { readonly alerts: number }): Ignition | undefined {
  if (before?.knownBy === 'reading') return before;
  const isOn = hasIgnitionBit(fix);
  return isOn === (before?.isOn ?? false) ? before : { isOn, knownBy: 'alert' };
}

export function ignitionByReading(
  before: Ignition | undefined,
  reading: { readonly type: string; readonly value: unknown },
): Ignition | undefined {
  const isOn = ignitionIn(reading);
  if (isOn === undefined || (before?.isOn === isOn && before.knownBy === 'reading')) return before;
  return { isOn, knownBy: 'reading' };
}

const rowOf = (deviceId: number, { at, isOn }: IgnitionChange) => ({ deviceId, at, isOn: isOn ? 1 : 0 });

export async function saveIgnition(
  tx: Kysely<Tables>,
  deviceId: number,
  changes: readonly IgnitionChange[],
): Promise<void> {
  for (const change of changes) await tx.insertInto('ignitionChanges').values(rowOf(deviceId, change)).execute();
}

/** Replaces all changes after a moment, or between two, by those that a replay found. */
export async function correctIgnition(
  tx: Kysely<Tables>,
  deviceId: number,
  after: number,
  found: readonly IgnitionChange[],
  until = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const olds = await tx
    .selectFrom('ignitionChanges')
    .select(['id', 'at', 'isOn'])
    .where('deviceId', '=', deviceId)
    .where('at', '>', after)
    .where('at', '<=', until)
    .orderBy('at')
    .orderBy('id')
    .execute();
  // Mostly nothing has changed and nothing is written.
  let same = 0;
  while (same < olds.length && same < found.length && isSame(olds[same]!, found[same]!)) same++;
  const wrong = olds[same];
  if (wrong !== undefined)
    await tx
      .deleteFrom('ignitionChanges')
      .where('deviceId', '=', deviceId)
      .where('at', '<=', until)
      .where((when) =>
        when.or([when('at', '>', wrong.at), when.and([when('at', '=', wrong.at), when('id', '>=', wrong.id)])]),
      )
      .execute();
  await saveIgnition(tx, deviceId, found.slice(same));
}

const isSame = (old: { readonly at: number; readonly isOn: number }, { at, isOn }: IgnitionChange) =>
  old.at === at && old.isOn === (isOn ? 1 : 0);
