import type { AlarmWord } from '../alarm-words.ts';
import type { TrackerReading } from '../tracker.ts';

export interface EelinkStatus {
  readonly isFix: boolean;
  readonly isCharging?: boolean;
  readonly readings: readonly TrackerReading[];
}

/** Pairs of bits: whether the device knows it, and what it knows. */
export function statusOf(bits: number): EelinkStatus {
  const known = (knows: number, value: number) => (bits & (1 << knows) ? (bits & (1 << value)) !== 0 : undefined);
  const isSet = (bit: number) => (bits & (1 << bit)) !== 0;
  const pairs = [
    ['ignition', known(1, 2)],
    ['armed', known(3, 4)],
    ['relay', known(5, 6)],
    // Devices that can be armed have a sensor of movement.
    ['moving', isSet(9) || isSet(3) ? isSet(9) : undefined],
  ] as const;
  const isCharging = known(7, 8);
  return {
    isFix: isSet(0),
    ...(isCharging === undefined ? {} : { isCharging }),
    readings: pairs.flatMap(([type, value]) => (value === undefined ? [] : [{ type, value }])),
  };
}

const ALARMS: ReadonlyMap<number, AlarmWord> = new Map([
  [0x01, 'powerOff'],
  [0x02, 'sos'],
  [0x03, 'lowBattery'],
  [0x04, 'vibration'],
  [0x08, 'antennaCut'],
  [0x09, 'antennaCut'],
  [0x25, 'tamper'],
  [0x82, 'overspeed'],
  [0x83, 'geofenceEnter'],
  [0x84, 'geofenceExit'],
  [0x85, 'crash'],
  [0x86, 'fall'],
]);

export const alarmOf = (code: number): AlarmWord => ALARMS.get(code) ?? 'general';
