import { type AdvertisedReading, addressOf, beaconId, eddystoneId } from '../../advertisements/advertisement.ts';
import { readAdvertisement } from '../../advertisements/advertisements.ts';
import { eyeReadings } from '../../advertisements/teltonika-eye.ts';
import { Cursor } from '../frame/cursor.ts';
import type { BeaconReading, TrackerReading, TrackerRecord } from '../tracker.ts';
import { type IoFacts, ioReaderOf, unsignedOf } from './io-table.ts';
import type { IoValue } from './records.ts';

type Status = Omit<IoFacts, 'readings'> & Required<Pick<TrackerRecord, 'readings' | 'tagReadings'>>;

/** Values that form one reading together, or are meaningless without another. */
const TOGETHER = {
  accelerometer: [17, 18, 19],
  cell: [205, 636],
  area: 206,
  operator: 241,
  simCard: [11, 14],
  driver: [195, 196],
} as const;

/** These are alarms in the record that they caused, and meaningless in others. */
const EVENT_ONLY = new Set([175, 236, 246, 247, 249, 251, 252, 253, 255]);

/** On old devices 22 and 23 have other meanings: they are batteries of sensors only if those sensors are present. */
const BATTERY_OF = new Map([
  [22, 27],
  [23, 28],
]);

/** Decodes the values of a record. Values of unknown meaning are stored in one reading, `io`. */
export function statusOf(io: readonly IoValue[], isProfessional: boolean): Status {
  const readings: TrackerReading[] = [];
  const tagReadings: BeaconReading[] = [];
  let facts: IoFacts = {};
  const unknown: Record<string, number | string> = {};
  const byId = new Map(io.filter(({ isVariable }) => !isVariable).map((value) => [value.id, value.bytes]));
  const taken = new Set<number>();
  for (const reading of combined(byId, taken)) readings.push(reading);
  for (const { id, bytes, isVariable } of io) {
    if (isVariable && id === BEACONS) tagReadings.push(...beaconsIn(bytes));
    else if (isVariable && TAGS.has(id)) tagReadings.push(...tagsIn(bytes));
    else if (taken.has(id) && !isVariable) continue;
    else {
      const sensor = BATTERY_OF.get(id);
      const read =
        sensor !== undefined && !byId.has(sensor)
          ? undefined
          : ioReaderOf(id, isVariable ? 'variable' : bytes.length, isProfessional);
      if (read) {
        const { readings: reported = [], ...more } = read(bytes);
        facts = { ...facts, ...more };
        readings.push(...reported);
      } else if (isProfessional || isVariable || !EVENT_ONLY.has(id)) unknown[id] = rawOf(bytes, isVariable);
    }
  }
  if (Object.keys(unknown).length > 0) readings.push({ type: 'io', value: unknown });
  return { ...facts, readings, tagReadings };
}

function* combined(byId: ReadonlyMap<number, Buffer>, taken: Set<number>): Generator<TrackerReading> {
  const axes = TOGETHER.accelerometer.map((id) => byId.get(id));
  if (axes.every((bytes) => bytes?.length === 2)) {
    for (const id of TOGETHER.accelerometer) taken.add(id);
    yield { type: 'accel_3d', value: axes.map((bytes) => bytes!.readInt16BE(0) / 1000) };
  }
  yield* cellIn(byId, taken);
  const sim = TOGETHER.simCard.map((id) => byId.get(id)).filter((bytes) => bytes?.length === 8);
  if (sim.length > 0) {
    for (const id of TOGETHER.simCard) taken.add(id);
    const digits = sim.map((bytes) => bytes!.readBigUInt64BE(0)).filter((part) => part > 0n);
    if (digits.length > 0) yield { type: 'iccid', value: digits.join('') };
  }
  const driver = TOGETHER.driver.map((id) => byId.get(id));
  if (driver.every((bytes) => bytes?.length === 8)) {
    for (const id of TOGETHER.driver) taken.add(id);
    const name = Buffer.concat(driver as Buffer[])
      .toString('latin1')
      .replaceAll('\0', '')
      .trim();
    if (/^[\x20-\x7e]+$/.test(name)) yield { type: 'driver_id', value: name };
  }
}

function* cellIn(byId: ReadonlyMap<number, Buffer>, taken: Set<number>): Generator<TrackerReading> {
  const numberAt = (id: number) => {
    const bytes = byId.get(id);
    return bytes && bytes.length <= 4 ? unsignedOf(bytes) : undefined;
  };
  for (const id of [...TOGETHER.cell, TOGETHER.area, TOGETHER.operator]) if (byId.has(id)) taken.add(id);
  const cid = TOGETHER.cell.map(numberAt).find((value) => value);
  const lac = numberAt(TOGETHER.area);
  const operator = String(numberAt(TOGETHER.operator) ?? '');
  if (operator.length < 5) return;
  const network = { mcc: Number(operator.slice(0, 3)), mnc: Number(operator.slice(3)) };
  if (cid && lac) yield { type: 'cell', value: { ...network, lac, cid } };
  else yield { type: 'operator', value: operator };
}

function rawOf(bytes: Buffer, isVariable: boolean | undefined): number | string {
  const isNumber = !isVariable && (bytes.length <= 4 || (bytes.length === 8 && bytes[0] === 0 && bytes[1]! < 0x20));
  return isNumber ? unsignedOf(bytes) : bytes.toString('hex');
}

const BEACONS = 385;

const FLAG = { rssi: 0x01, battery: 0x02, temperature: 0x04, ibeacon: 0x30 } as const;

/** The beacons that a device received. The first byte is the part number of the list. */
function beaconsIn(bytes: Buffer): BeaconReading[] {
  const cursor = new Cursor(bytes, 1);
  const tagReadings: BeaconReading[] = [];
  while (cursor.left > 0) {
    const flags = cursor.u8();
    const isIbeacon = (flags & FLAG.ibeacon) !== 0;
    const name = cursor.take(isIbeacon ? 20 : 16);
    const rssi = flags & FLAG.rssi ? { rssi: cursor.i8() } : {};
    const batteryMv = flags & FLAG.battery ? cursor.u16() * 10 : undefined;
    const temperature = flags & FLAG.temperature ? cursor.u16() : undefined;
    if (cursor.isShort) break;
    const sensorDeviceId = isIbeacon ? beaconId(name) : eddystoneId(name);
    // The unit of the temperature is not published, so the raw value is stored.
    const meta = temperature === undefined ? {} : { meta: { temperatureRaw: temperature } };
    if (batteryMv !== undefined)
      tagReadings.push({ type: 'battery_mv', value: batteryMv, sensorDeviceId, ...rssi, ...meta });
    else tagReadings.push({ type: 'ble_seen', value: sensorDeviceId, sensorDeviceId, ...rssi, ...meta });
  }
  return tagReadings;
}

const TAGS: ReadonlySet<number> = new Set([548, 10828, 10829, 10831, 11317]);

interface Tag {
  rssi?: number;
  /** Its address, or its advertised identity. */
  address?: string;
  identity?: string;
  name?: string;
  readonly readings: AdvertisedReading[];
}

/** The tags that a device received, with their data. */
function tagsIn(bytes: Buffer): BeaconReading[] {
  const cursor = new Cursor(bytes, 1);
  const tagReadings: BeaconReading[] = [];
  while (cursor.left > 0) {
    const tag = cursor.take(cursor.u8());
    if (cursor.isShort) break;
    tagReadings.push(...readingsOf(tagIn(tag)));
  }
  return tagReadings;
}

function tagIn(bytes: Buffer): Tag {
  const tag: Tag = { readings: [] };
  const cursor = new Cursor(bytes);
  while (cursor.left > 0) {
    const id = cursor.u8();
    const value = cursor.take(cursor.u8());
    if (cursor.isShort) break;
    if (value.length > 0) take(tag, id, value);
  }
  return tag;
}

function take(tag: Tag, id: number, value: Buffer): void {
  const say = (type: string, said: unknown) => tag.readings.push({ type, value: said });
  const signed = () => value.readIntBE(0, Math.min(value.length, 4));
  const unsigned = () => value.readUIntBE(0, Math.min(value.length, 4));
  if (id === 0) tag.rssi = value.readInt8(0);
  else if (id === 1) tag.identity = identityOf(value);
  else if (id === 2) takeAdvertisement(tag, value);
  else if (id === 5) tag.name = value.toString('utf8');
  else if (id === 6) say('temp', signed() / 100);
  else if (id === 7) say('humidity', unsigned());
  else if (id === 8) say('magnet', unsigned() > 0);
  else if (id === 9) say('motion', unsigned() > 0);
  else if (id === 10) say('movement_count', unsigned());
  else if (id === 11) say('pitch', signed());
  else if (id === 12) say('roll', signed());
  else if (id === 13) say('low_battery', unsigned() > 0);
  else if (id === 14) say('battery_mv', unsigned());
  else if (id === 15 && value.length === 6) tag.address = addressOf(value);
}

/** Teltonika's own sensors are forwarded without the header of the advertisement, others complete. */
function takeAdvertisement(tag: Tag, value: Buffer): void {
  const read = eyeReadings(value) ?? readAdvertisement(value);
  tag.readings.push(...(read?.readings ?? [{ type: 'ble_seen', value: value.toString('hex') }]));
  if (read?.sensorDeviceId !== undefined) tag.identity ??= read.sensorDeviceId;
}

function identityOf(value: Buffer): string {
  if (value.length === 6) return addressOf(value);
  if (value.length === 16) return eddystoneId(value);
  return value.length === 20 ? beaconId(value) : value.toString('hex');
}

function readingsOf({ rssi, address, identity, name, readings }: Tag): BeaconReading[] {
  const sensorDeviceId = address ?? identity;
  if (sensorDeviceId === undefined) return [];
  const said = readings.length > 0 ? readings : [{ type: 'ble_seen', value: name ?? sensorDeviceId }];
  const meta = name === undefined ? {} : { meta: { name } };
  return said.map((reading) => ({ ...reading, sensorDeviceId, ...(rssi === undefined ? {} : { rssi }), ...meta }));
}
