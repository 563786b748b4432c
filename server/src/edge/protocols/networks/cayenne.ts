import type { Json } from '../claims.ts';

/** Cayenne LPP: items of a channel, a type, and a value whose length depends on the type. */

interface Kind {
  readonly name: string;
  readonly bytes: number;
  read(value: Buffer): unknown;
}

/** Without floating-point noise. */
const scaled = (value: number, perUnit: number) => value / perUnit;
const xyz = (value: Buffer, perUnit: number) => ({
  x: scaled(value.readInt16BE(0), perUnit),
  y: scaled(value.readInt16BE(2), perUnit),
  z: scaled(value.readInt16BE(4), perUnit),
});

const KINDS: Readonly<Record<number, Kind>> = {
  0: { name: 'digital_in', bytes: 1, read: (value) => value[0] },
  1: { name: 'digital_out', bytes: 1, read: (value) => value[0] },
  2: { name: 'analog_in', bytes: 2, read: (value) => scaled(value.readInt16BE(0), 100) },
  3: { name: 'analog_out', bytes: 2, read: (value) => scaled(value.readInt16BE(0), 100) },
  101: { name: 'luminosity', bytes: 2, read: (value) => value.readUInt16BE(0) },
  102: { name: 'presence', bytes: 1, read: (value) => value[0] },
  103: { name: 'temperature', bytes: 2, read: (value) => scaled(value.readInt16BE(0), 10) },
  104: { name: 'relative_humidity', bytes: 1, read: (value) => value[0]! / 2 },
  113: { name: 'accelerometer', bytes: 6, read: (value) => xyz(value, 1000) },
  115: { name: 'barometric_pressure', bytes: 2, read: (value) => scaled(value.readUInt16BE(0), 10) },
  116: { name: 'voltage', bytes: 2, read: (value) => scaled(value.readUInt16BE(0), 100) },
  117: { name: 'current', bytes: 2, read: (value) => scaled(value.readUInt16BE(0), 1000) },
  120: { name: 'percentage', bytes: 1, read: (value) => value[0] },
  130: { name: 'distance', bytes: 4, read: (value) => scaled(value.readUInt32BE(0), 1000) },
  132: { name: 'direction', bytes: 2, read: (value) => value.readUInt16BE(0) },
  133: { name: 'time', bytes: 4, read: (value) => value.readUInt32BE(0) },
  134: { name: 'gyrometer', bytes: 6, read: (value) => xyz(value, 100) },
  136: {
    name: 'gps',
    bytes: 9,
    read: (value) => ({
      latitude: scaled(value.readIntBE(0, 3), 10_000),
      longitude: scaled(value.readIntBE(3, 3), 10_000),
      altitude: scaled(value.readIntBE(6, 3), 100),
    }),
  },
};

/** Types that any two bytes could be: alone they do not prove the format. */
const WEAK = new Set([0x00, 0x01, 0x66, 0x78]);

/**
 * Decodes a payload to the field names that networks use. Payloads do not name their format, so it is accepted only if
 * all bytes can be decoded and all values are plausible; otherwise undefined.
 */
export function cayenneFields(payload: Buffer): Json | undefined {
  const fields: Record<string, unknown> = {};
  let isSure = false;
  let at = 0;
  while (at < payload.length) {
    const type = payload[at + 1];
    const kind = type === undefined ? undefined : KINDS[type];
    if (kind === undefined || at + 2 + kind.bytes > payload.length) return undefined;
    const value = kind.read(payload.subarray(at + 2, at + 2 + kind.bytes));
    const name = kind.name === 'time' ? 'time' : `${kind.name}_${payload[at]}`;
    if (!isPossible(type!, value) || Object.hasOwn(fields, name)) return undefined;
    fields[name] = value;
    if (!WEAK.has(type!)) isSure = true;
    at += 2 + kind.bytes;
  }
  return isSure || Object.keys(fields).length > 1 ? fields : undefined;
}

function isPossible(type: number, value: unknown): boolean {
  if (type === 0x67) return Math.abs(value as number) <= 200;
  if (type === 0x68 || type === 0x78) return (value as number) <= 100;
  if (type === 0x84) return (value as number) <= 360;
  if (type !== 0x88) return true;
  const { latitude, longitude } = value as { latitude: number; longitude: number };
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}
