import { ALERT } from './alarms.ts';

/** What made the device report: the `t` of a location. The apps' own letters say nothing a position does not show. */
export interface Cause {
  readonly alertType?: number;
  /** In words, for what the alert bits can't tell apart. */
  readonly alarm?: string;
  readonly sendReason?: number;
  readonly ignition?: boolean;
  readonly charging?: boolean;
}

const NOTHING: Cause = {};
const alert = (alarm: string): Cause => ({ alarm, alertType: ALERT.generic });

const CAUSES: ReadonlyMap<unknown, Cause> = new Map<unknown, Cause>([
  // A ping is a sign of life: the apps give it the present time and the place they had.
  ['p', { sendReason: 255 }],
  // Queclink
  ['i', { alertType: ALERT.ignition, ignition: true }],
  ['I', { alertType: ALERT.ignition, ignition: false }],
  ['!', alert('tow')],
  ['s', alert('speed')],
  ['h', alert('harsh')],
  ['9', alert('low battery')],
  ['e', alert('external power off')],
  ['a', { sendReason: 64 }],
  ['2', { charging: false }],
  ['3', { charging: true }],
]);

export const causeOf = (t: unknown): Cause => CAUSES.get(typeof t === 'number' ? String(t) : t) ?? NOTHING;
