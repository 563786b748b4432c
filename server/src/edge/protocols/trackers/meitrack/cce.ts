import { addressOf } from '../../advertisements/advertisement.ts';
import { Cursor } from '../frame/cursor.ts';
import { fixOf } from '../frame/cut.ts';
import type { BeaconReading, TrackerReading, TrackerRecord } from '../tracker.ts';
import { EPOCH_MS, type StoredRecords } from './ccc.ts';
import { EVENT, eventFacts, portReadings } from './report.ts';

/** Number of remaining records, number of records here; each is a list of numbered values of 1, 2, 4 or more bytes. */
export function cceRecords(data: Buffer): StoredRecords {
  const cursor = new Cursor(data);
  cursor.u32le();
  const count = cursor.u16le();
  const records: TrackerRecord[] = [];
  while (records.length < count && !cursor.isShort) {
    const record = new Cursor(cursor.take(cursor.u16le()));
    if (cursor.isShort) break;
    records.push(recordOf(record));
  }
  return { records, count };
}

type Values = ReadonlyMap<number, Buffer>;

function recordOf(cursor: Cursor): TrackerRecord {
  const index = cursor.u16le();
  const values = new Map<number, Buffer>();
  for (const width of [1, 2, 4, 'variable'] as const)
    for (let left = cursor.u8(); left > 0 && !cursor.isShort; left -= 1) {
      const first = cursor.u8();
      const id = first === 0xfe ? 0xfe00 + cursor.u8() : first;
      const value = cursor.take(width === 'variable' ? cursor.u8() : width);
      if (!cursor.isShort) values.set(keyOf(id, width), value);
    }
  return recordFrom(values, index);
}

const keyOf = (id: number, width: number | 'variable') => id * 8 + (width === 'variable' ? 0 : width);

function recordFrom(values: Values, index: number): TrackerRecord {
  const at = (id: number, width: 1 | 2 | 4) => values.get(keyOf(id, width));
  const u8 = (id: number) => at(id, 1)?.[0];
  const u16 = (id: number) => at(id, 2)?.readUInt16LE(0);
  const u32 = (id: number) => at(id, 4)?.readUInt32LE(0);
  const lat = at(0x02, 4)?.readInt32LE(0);
  const lng = at(0x03, 4)?.readInt32LE(0);
  const seconds = u32(0x04);
  const event = u16(0x40) ?? u8(0x01) ?? EVENT.periodic;
  const facts = eventFacts(event);
  const scaled = (value: number | undefined, divisor: number) => (value === undefined ? undefined : value / divisor);
  const inputs = u8(0x15);
  const outputs = u8(0x14);
  const driver = u32(0x25);
  const engineMinutes = u32(0xfef4);
  const readings = [
    ...facts.readings,
    ...some('odometer_m', u32(0x0c)),
    ...some('runtime_s', u32(0x0d)),
    ...(inputs === undefined ? [] : portReadings('din', inputs)),
    ...(outputs === undefined ? [] : portReadings('dout', outputs)),
    ...some('ain1', scaled(u16(0x16), 100)),
    ...some('ain2', scaled(u16(0x17), 100)),
    ...some('ain3', scaled(u16(0x18), 100)),
    ...some('ext_voltage', scaled(u16(0x1a), 100)),
    ...some('fuel_pct', scaled(u16(0x29), 100) ?? u8(0x9d)),
    ...some('driver_id', driver === undefined ? undefined : String(driver)),
    ...lockOf(u8(0x47)),
    ...some('throttle', u8(0x97)),
    ...some('obd_speed', u16(0x91) ?? u16(0x92)),
    ...some('rpm', u16(0x99)),
    ...some('engine_temp', u16(0x9c)),
    ...some('obd_odometer_m', u32(0x9b)),
    ...some('engine_hours', scaled(engineMinutes, 60)),
    ...networksIn(values),
    ...temperaturesIn(values),
  ];
  const tagReadings = tagIn(values.get(keyOf(0xfe73, 'variable')));
  const batteryPct = u8(0xfe69) ?? batteryIn(values.get(keyOf(0xfea8, 'variable')));
  return {
    ...(seconds === undefined ? {} : { timestamp: EPOCH_MS + seconds * 1000 }),
    ...fixOf(scaled(lat, 1e6), scaled(lng, 1e6), (u8(0x05) ?? 0) > 0),
    ...numbers({
      sats: u8(0x06),
      gsmSignal: u8(0x07),
      speedKmh: u16(0x08),
      courseDeg: u16(0x09),
      hdop: scaled(u16(0x0a), 10),
      altitudeM: at(0x0b, 2)?.readInt16LE(0),
      batteryVoltage: scaled(u16(0x19), 100),
      batteryPct: batteryPct !== undefined && batteryPct <= 100 ? batteryPct : undefined,
    }),
    ...(facts.alarms ? { alarms: facts.alarms } : {}),
    readings,
    ...(tagReadings.length > 0 ? { tagReadings } : {}),
    recordId: `${event}.${index}`,
  };
}

const some = (type: string, value: number | string | undefined): TrackerReading[] =>
  value === undefined ? [] : [{ type, value }];

const numbers = <Names extends string>(values: Record<Names, number | undefined>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [Name in Names]?: number };

/** 1 open, 2 locked. */
const lockOf = (state: number | undefined): TrackerReading[] =>
  state === 1 || state === 2 ? [{ type: 'lock', value: state === 2 }] : [];

function networksIn(values: Values): TrackerReading[] {
  const cells: { mcc: number; mnc: number; lac: number; cid: number; rssi: number }[] = [];
  for (let id = 0x0e; id <= 0x13; id += 1) {
    const cursor = new Cursor(values.get(keyOf(id, 'variable')) ?? Buffer.alloc(0));
    const cell = {
      mcc: cursor.u16le(),
      mnc: cursor.u16le(),
      lac: cursor.u16le(),
      cid: cursor.u32le(),
      rssi: cursor.i16le(),
    };
    if (!cursor.isShort && cell.mcc > 0) cells.push(cell);
  }
  const accessPoints: { mac: string; rssi: number }[] = [];
  for (let id = 0x1d; id <= 0x24; id += 1) {
    const bytes = values.get(keyOf(id, 'variable'));
    if (bytes && bytes.length >= 8)
      accessPoints.push({ mac: addressOf(bytes.subarray(0, 6)), rssi: bytes.readInt16LE(6) });
  }
  const [own] = cells.map(({ rssi, ...value }) => ({ value, rssi }));
  return [
    ...(own ? [{ type: 'cell', value: own.value, meta: { rssi: own.rssi } }] : []),
    ...(cells.length > 1 ? [{ type: 'cells', value: cells }] : []),
    ...(accessPoints.length > 0 ? [{ type: 'wifi', value: accessPoints }] : []),
  ];
}

function temperaturesIn(values: Values): TrackerReading[] {
  const readings: TrackerReading[] = [];
  for (let id = 0x2a; id <= 0x31; id += 1) {
    const bytes = values.get(keyOf(id, 'variable'));
    const type = id === 0x2a ? 'temp' : `temp${id - 0x2a + 1}`;
    if (bytes && bytes.length >= 3) readings.push({ type, value: bytes.readInt16LE(1) / 100 });
  }
  return readings;
}

/** Three batteries: whether each is present, and its percentage. */
const batteryIn = (bytes: Buffer | undefined) => (bytes && bytes.length >= 2 && bytes[0]! > 0 ? bytes[1] : undefined);

/** A temperature and humidity sensor: version, name, address, battery, values in 256ths. */
function tagIn(bytes: Buffer | undefined): BeaconReading[] {
  if (!bytes) return [];
  const cursor = new Cursor(bytes, 1);
  const name = cursor.take(cursor.u8()).toString('latin1');
  const sensorDeviceId = addressOf(cursor.take(6));
  const battery = cursor.u8();
  const temp = cursor.i16le() / 256;
  const humidity = cursor.i16le() / 256;
  if (cursor.isShort) return [];
  const tag = { sensorDeviceId, ...(name === '' ? {} : { meta: { name } }) };
  return [
    { type: 'temp', value: temp, ...tag },
    { type: 'humidity', value: humidity, ...tag },
    { type: 'battery', value: battery, ...tag },
  ];
}
