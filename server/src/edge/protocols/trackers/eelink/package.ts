import type { AlarmWord } from '../alarm-words.ts';
import { Cursor } from '../frame/cursor.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';

/** `6767`, type, length of the following bytes, serial number, body. */
export interface EelinkPackage {
  readonly type: number;
  readonly serial: number;
  readonly body: Buffer;
}

export const TYPE = {
  login: 0x01,
  oldPosition: 0x02,
  heartbeat: 0x03,
  oldAlarm: 0x04,
  oldState: 0x05,
  oldMessage: 0x06,
  obd: 0x07,
  normal: 0x12,
  warning: 0x14,
  report: 0x15,
  message: 0x16,
  obdData: 0x17,
  obdBody: 0x18,
  obdCode: 0x19,
  command: 0x80,
  data: 0x81,
} as const;

export const MARK = 0x6767;
export const ENVELOPE = 0x454c;
const HEAD = 7;

export function packageOf(type: number, serial: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt16BE(MARK, 0);
  head[2] = type;
  head.writeUInt16BE(2 + body.length, 3);
  head.writeUInt16BE(serial, 5);
  return Buffer.concat([head, body]);
}

/** The packages in a frame; `isWhole` is false if it contains other bytes. */
export function packagesIn(bytes: Buffer): { packages: EelinkPackage[]; isWhole: boolean } {
  const packages: EelinkPackage[] = [];
  let at = 0;
  while (at + HEAD <= bytes.length && bytes.readUInt16BE(at) === MARK) {
    const end = at + 5 + bytes.readUInt16BE(at + 3);
    if (end > bytes.length || end < at + HEAD) break;
    packages.push({ type: bytes[at + 2]!, serial: bytes.readUInt16BE(at + 5), body: bytes.subarray(at + HEAD, end) });
    at = end;
  }
  return { packages, isWhole: at === bytes.length };
}

/** A datagram: `EL`, length, sum, IMEI, packages. */
export function envelopeOf(imei: string, packages: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(imei.padStart(16, '0'), 'hex'), packages]);
  const head = Buffer.alloc(6);
  head.writeUInt16BE(ENVELOPE, 0);
  head.writeUInt16BE(2 + content.length, 2);
  head.writeUInt16BE(sumOf(content, 0), 4);
  return Buffer.concat([head, content]);
}

/** The sum is rotated by one bit before each byte. */
export function sumOf(bytes: Buffer, from: number): number {
  let sum = 0;
  for (let at = from; at < bytes.length; at += 1) sum = ((((sum << 1) | (sum >>> 15)) & 0xffff) + bytes[at]!) & 0xffff;
  return sum;
}

interface EelinkStatus {
  readonly isFix: boolean;
  readonly isCharging?: boolean;
  readonly readings: readonly TrackerReading[];
}

/** Pairs of bits: whether the value is known, and the value. */
export function statusOf(bits: number): EelinkStatus {
  const known = (knows: number, value: number) => (bits & (1 << knows) ? (bits & (1 << value)) !== 0 : undefined);
  const isSet = (bit: number) => (bits & (1 << bit)) !== 0;
  const pairs = [
    ['ignition', known(1, 2)],
    ['armed', known(3, 4)],
    ['relay', known(5, 6)],
    // Devices that can be armed have a motion sensor.
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

const NUMBER = { odometerKm: 0x8a, fuelTenths: 0x8b } as const;

/** Vehicle bus data: a time, then ids with values. Four bytes are only a status. */
export function obdRecord(body: Buffer): TrackerRecord | undefined {
  if (body.length < 4) return undefined;
  if (body.length === 4) return statusRecord(body);
  const cursor = new Cursor(body);
  const timestamp = cursor.u32() * 1000;
  const readings: TrackerReading[] = [];
  const unknown: Record<string, string> = {};
  while (cursor.left >= 5) {
    const number = cursor.u8();
    const value = cursor.take(4);
    if (number === NUMBER.odometerKm) readings.push({ type: 'obd_odometer_m', value: value.readUInt32BE(0) * 1000 });
    else if (number === NUMBER.fuelTenths) readings.push({ type: 'fuel_l', value: value.readUInt32BE(0) / 10 });
    else unknown[number.toString(16).padStart(2, '0')] = value.toString('hex');
  }
  if (Object.keys(unknown).length > 0) readings.push({ type: 'io', value: unknown });
  return { timestamp, isValid: false, readings };
}

/** A status without a time. */
export function statusRecord(body: Buffer): TrackerRecord | undefined {
  if (body.length < 2) return undefined;
  const { isFix: _, ...facts } = statusOf(body.readUInt16BE(0));
  return { isValid: false, ...facts };
}
