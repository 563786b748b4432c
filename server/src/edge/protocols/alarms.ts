import { textOf } from './claims.ts';

/** Bits of a position's `alertType`. */
export const ALERT = { drop: 1, jamming: 4, button: 8, generic: 16, ignition: 32 } as const;

const BITS: ReadonlyMap<string, number> = new Map([
  ['sos', ALERT.button],
  ['falldown', ALERT.drop],
  ['jamming', ALERT.jamming],
]);

export interface Alarm {
  /** The device's own name for the alarm. */
  readonly name: string;
  readonly alertType: number;
}

/** Parses one alarm, or several separated by commas; undefined if the device reports that the alarm is off. */
export function alarmOf(sent: unknown): Alarm | undefined {
  const name = textOf(sent === true ? 'true' : sent, 100);
  if (name === undefined || /^(false|0|none|null)$/i.test(name)) return undefined;
  const bits = name.split(',').map((part) => BITS.get(part.trim().toLowerCase()) ?? ALERT.generic);
  return { name, alertType: bits.reduce((all, bit) => all | bit, 0) };
}
