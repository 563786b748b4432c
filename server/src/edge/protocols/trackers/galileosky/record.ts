import { fixOf } from '../frame/cut.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';
import { type GalileoskyTags, TAG } from './tags.ts';

const BY_CELLS = 2;
const IGNITION_BIT = 0x0200;

/** Tags that have their own field in the record, or contain nothing about the vehicle. */
const TAKEN: ReadonlySet<number> = new Set([
  ...Object.values(TAG).filter((tag) => tag !== TAG.status && tag !== TAG.userArray && tag !== TAG.extended),
]);

/** The record of these tags, or undefined if they contain neither a time nor a place. */
export function recordOf(tags: GalileoskyTags): TrackerRecord | undefined {
  const place = tags.get(TAG.place);
  const time = tags.get(TAG.time);
  if (!place && !time) return undefined;
  const fix = place ? place[0]! >> 4 : undefined;
  return {
    ...(time ? { timestamp: time.readUInt32LE(0) * 1000 } : {}),
    ...(place ? fixOf(place.readInt32LE(1) / 1e6, place.readInt32LE(5) / 1e6, fix === 0) : { isValid: false }),
    ...(place ? { sats: place[0]! & 0x0f } : {}),
    ...(fix === BY_CELLS ? { locationType: 'gsm' as const } : {}),
    ...factsOf(tags),
    ...recordIdOf(tags),
  };
}

const recordIdOf = (tags: GalileoskyTags) => {
  const number = tags.get(TAG.record)?.readUInt16LE(0);
  return number === undefined ? {} : { recordId: String(number) };
};

/** The content of tags other than time and place. */
export function factsOf(tags: GalileoskyTags): Partial<TrackerRecord> {
  const u16 = (tag: number) => tags.get(tag)?.readUInt16LE(0);
  const motion = tags.get(TAG.motion);
  const altitude = tags.get(TAG.altitude);
  const hdop = tags.get(TAG.hdop);
  const battery = u16(TAG.battery);
  return {
    ...(motion ? { speedKmh: motion.readUInt16LE(0) / 10, courseDeg: motion.readUInt16LE(2) / 10 } : {}),
    ...(altitude ? { altitudeM: altitude.readInt16LE(0) } : {}),
    ...(hdop ? { hdop: hdop[0]! / 10 } : {}),
    ...(battery === undefined ? {} : { batteryVoltage: battery / 1000 }),
    readings: readingsOf(tags),
  };
}

function readingsOf(tags: GalileoskyTags): TrackerReading[] {
  const readings: TrackerReading[] = [];
  const unknown: Record<string, number | string> = {};
  const say = (type: string, value: unknown) => readings.push({ type, value });
  for (const [tag, value] of tags) {
    const known = readerOf(tag);
    if (known) known(value, say);
    if (tag === TAG.status || (!known && !TAKEN.has(tag)))
      unknown[tag.toString(16).padStart(2, '0')] =
        value.length <= 4 && value.length > 0 ? value.readUIntLE(0, value.length) : value.toString('hex');
  }
  if (Object.keys(unknown).length > 0) readings.push({ type: 'io', value: unknown });
  return readings;
}

type Say = (type: string, value: unknown) => void;
type Reader = (value: Buffer, say: Say) => void;

const READERS: ReadonlyMap<number, Reader> = new Map<number, Reader>([
  [TAG.firmware, (value, say) => say('firmware', String(value[0]))],
  [TAG.status, (value, say) => say('ignition', (value.readUInt16LE(0) & IGNITION_BIT) !== 0)],
  [TAG.supply, (value, say) => say('ext_voltage', value.readUInt16LE(0) / 1000)],
  [TAG.temperature, (value, say) => say('device_temp', value.readInt8(0))],
  [TAG.outputs, (value, say) => sayPorts('dout', value.readUInt16LE(0), say)],
  [TAG.inputs, (value, say) => sayPorts('din', value.readUInt16LE(0), say)],
  [
    TAG.ibutton,
    (value, say) => {
      const id = value.readUInt32LE(0);
      if (id !== 0) say('driver_id', id.toString(16).toUpperCase().padStart(8, '0'));
    },
  ],
  [TAG.fuelUsed, (value, say) => sayUnlessZero('fuel_used_l', value.readUInt32LE(0) / 2, say)],
  [TAG.engine, sayEngine],
  [TAG.odometer, (value, say) => say('odometer_m', value.readUInt32LE(0))],
]);

const MAX_PORTS = 8;

function sayPorts(name: string, bits: number, say: Say): void {
  for (let index = 0; index < MAX_PORTS; index += 1) say(`${name}${index + 1}`, (bits & (1 << index)) !== 0);
}

function sayUnlessZero(type: string, value: number, say: Say): void {
  if (value !== 0) say(type, value);
}

/** Fuel, coolant temperature, engine speed. All zero if the vehicle bus is not connected. */
function sayEngine(value: Buffer, say: Say): void {
  if (value.every((byte) => byte === 0)) return;
  say('fuel_pct', Math.round(value[0]! * 4) / 10);
  say('engine_temp', value[1]! - 40);
  say('rpm', value.readUInt16LE(2) / 8);
}

function readerOf(tag: number): Reader | undefined {
  if (tag >= 0x50 && tag <= 0x57) return (value, say) => say(`ain${tag - 0x4f}`, value.readUInt16LE(0) / 1000);
  if (tag >= 0x70 && tag <= 0x77) return thermometer(tag - 0x70);
  return READERS.get(tag);
}

/** Number of the thermometer, degrees. -128: not connected. */
function thermometer(index: number): Reader {
  return (value, say) => {
    const degrees = value.readInt8(1);
    if (degrees !== -128) say(index === 0 ? 'temp' : `temp${index + 1}`, degrees);
  };
}
