import type { AlarmWord } from '../alarm-words.ts';
import { isBitSet } from '../text/numbers.ts';
import { readingsOf } from '../text/readings.ts';
import type { TrackerRecord } from '../tracker.ts';

/** An alarm is on while its bit is 0. */
const ALARM_BITS: readonly (readonly [number, AlarmWord])[] = [
  [0, 'vibration'],
  [1, 'sos'],
  [2, 'overspeed'],
  [18, 'sos'],
  [19, 'powerCut'],
];
const IGNITION_BIT = 10;

/** What the status word says. A word of zeros, by which all alarms at once would be on, is one that was not filled. */
export function statusOf(word: number | undefined): Pick<TrackerRecord, 'readings' | 'standingAlarms'> {
  if (!word) return {};
  return {
    readings: readingsOf({ ignition: isBitSet(word, IGNITION_BIT) }),
    standingAlarms: [...new Set(ALARM_BITS.filter(([bit]) => !isBitSet(word, bit)).map(([, alarm]) => alarm))],
  };
}

const LEVELS: Readonly<Record<number, number>> = { 1: 0, 2: 10, 3: 20, 4: 60, 5: 80, 6: 100 };

/** Percent of a battery that is told as one of six levels, or in percent. */
export function batteryOf(value: number | undefined): number | undefined {
  if (value === undefined || value === 0) return undefined;
  if (value >= 0xf1 && value <= 0xf6) return LEVELS[value - 0xf0];
  return LEVELS[value] ?? (value <= 100 ? value : undefined);
}
