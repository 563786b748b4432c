import type { AlarmWord } from '../alarm-words.ts';

/** Bits of the alarm word; they stay set while the alarm is active. 15 to 17 are manufacturer-specific. */
const BITS: readonly (AlarmWord | undefined)[] = [
  'sos',
  'overspeed',
  'fatigue',
  'general',
  'fault',
  'antennaCut',
  'antennaCut',
  'lowExternalPower',
  'powerCut',
  'fault',
  'fault',
  'fault',
  'fault',
  'overspeed',
  'fatigue',
  'vibration',
  'tamper',
  'tamper',
  'fatigue',
  'idle',
  'geofence',
  'geofence',
  'general',
  'geofence',
  'fault',
  'general',
  'general',
  'ignitionOn',
  'movement',
  'crash',
  'crash',
  'door',
];

export function alarmsOf(bits: number, model: string | undefined): readonly AlarmWord[] {
  if (bits === 0) return [];
  const words = new Set<AlarmWord>();
  if (model !== undefined && /^G-(?:360|508)P/i.test(model)) {
    if (bits & 0b10011) words.add('tamper');
    return [...words];
  }
  if (model !== undefined && /^(?:AL300|GL100)/i.test(model)) return bits & 0x10000 ? ['movement'] : [];
  const skipped = model !== undefined && /^VL300/i.test(model) ? 'crash' : undefined;
  for (let bit = 0; bit < 32; bit += 1) {
    const word = BITS[bit];
    if ((bits >>> bit) & 1 && word !== undefined && word !== skipped) words.add(word);
  }
  return [...words];
}

/** Events of item E8 of Jimi's cameras. */
export const CAMERA_EVENTS: ReadonlyMap<number, AlarmWord> = new Map([
  [0x0001, 'fault'],
  [0x0400, 'harshAcceleration'],
  [0x0401, 'harshBraking'],
  [0x0402, 'harshCornering'],
  [0x0403, 'overspeed'],
  [0x0405, 'crash'],
  [0x0406, 'vibration'],
  [0x0407, 'tow'],
  [0x0408, 'geofenceEnter'],
  [0x0409, 'geofenceExit'],
  [0x040c, 'door'],
  [0x0412, 'harshAcceleration'],
  [0x0413, 'harshBraking'],
  [0x0414, 'harshCornering'],
  [0x0416, 'crash'],
  [0x0417, 'crash'],
  [0x0c01, 'sos'],
  [0x0c02, 'lowExternalPower'],
  [0x0c03, 'ignitionOn'],
  [0x0c04, 'ignitionOff'],
  [0x0c05, 'general'],
  [0x0c0e, 'powerCut'],
  [0x0c0f, 'lowBattery'],
  [0x0c10, 'powerOff'],
  [0x0c12, 'tamper'],
]);

/** Events of transparent messages of OBD adapters. */
export const OBD_EVENTS: ReadonlyMap<number, AlarmWord> = new Map([
  [0x01, 'powerRestored'],
  [0x02, 'powerCut'],
  [0x0e, 'idle'],
  [0x1a, 'harshAcceleration'],
  [0x1b, 'harshBraking'],
  [0x1c, 'harshCornering'],
  [0x23, 'fatigue'],
  [0x25, 'overspeed'],
  [0x26, 'crash'],
  [0x27, 'crash'],
  [0x28, 'crash'],
  [0x31, 'door'],
  [0x32, 'door'],
]);

/** Events of kind 15 of the same messages. */
export const DRIVING_EVENTS: ReadonlyMap<number, AlarmWord> = new Map([
  [51, 'harshAcceleration'],
  [52, 'harshBraking'],
  [53, 'harshCornering'],
  [56, 'crash'],
]);
