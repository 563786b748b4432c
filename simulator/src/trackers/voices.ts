import { gt06 } from './gt06.ts';
import { h02 } from './h02.ts';
import { jt808 } from './jt808.ts';
import { queclink } from './queclink.ts';
import { teltonika } from './teltonika.ts';
import type { TrackerVoice } from './voice.ts';

/** The protocols in which simulated trackers talk over TCP. */
export const VOICES = { teltonika, gt06, jt808, queclink, h02 } satisfies Record<string, TrackerVoice>;

export type VoiceName = keyof typeof VOICES;

/** A made-up IMEI of a simulated device, with a right check digit. */
export function imeiOf(index: number): string {
  const digits = `00000000${String(index).padStart(6, '0')}`.slice(-14);
  let sum = 0;
  for (const [place, digit] of [...digits].entries()) {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
