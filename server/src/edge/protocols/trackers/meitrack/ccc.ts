import { Cursor } from '../frame/cursor.ts';
import { fixOf } from '../frame/cut.ts';
import type { TrackerRecord } from '../tracker.ts';
import { eventFacts, portReadings, scaleOf, volts } from './report.ts';

const MIN_RECORD = 52;
/** 2000-01-01 */
export const EPOCH_MS = 946_684_800_000;

export interface StoredRecords {
  readonly records: readonly TrackerRecord[];
  /** Number of records in the packet, including unreadable ones. */
  readonly count: number;
}

/** Records of CCC: protocol, record length, number of remaining records; then the records, little-endian. */
export function cccRecords(data: Buffer, model: string | undefined): StoredRecords {
  const head = new Cursor(data);
  head.u16le();
  const reported = head.u16le();
  head.u32le();
  const length = reported >= MIN_RECORD && head.left % reported === 0 ? reported : MIN_RECORD;
  const records: TrackerRecord[] = [];
  while (head.left >= length) records.push(recordOf(new Cursor(head.take(length)), model));
  return { records, count: records.length };
}

function recordOf(cursor: Cursor, model: string | undefined): TrackerRecord {
  const event = cursor.u8();
  const lat = cursor.i32le() / 1e6;
  const lng = cursor.i32le() / 1e6;
  const timestamp = EPOCH_MS + cursor.u32le() * 1000;
  const isValid = cursor.u8() === 1;
  const sats = cursor.u8();
  const gsmSignal = cursor.u8();
  const speedKmh = cursor.u16le();
  const courseDeg = cursor.u16le();
  const hdop = cursor.u16le() / 10;
  const altitudeM = cursor.i16le();
  const odometer = cursor.u32le();
  const runtime = cursor.u32le();
  const cell = { mcc: cursor.u16le(), mnc: cursor.u16le(), lac: cursor.u16le(), cid: cursor.u16le() };
  const ports = cursor.u16le();
  const analog = cursor.u16le();
  const battery = cursor.u16le();
  const power = cursor.u16le();
  const scale = scaleOf(model, battery);
  const facts = eventFacts(event);
  return {
    timestamp,
    ...fixOf(lat, lng, isValid),
    sats,
    gsmSignal,
    speedKmh,
    courseDeg,
    hdop,
    altitudeM,
    batteryVoltage: volts(battery * scale.battery),
    ...(facts.alarms ? { alarms: facts.alarms } : {}),
    readings: [
      ...facts.readings,
      { type: 'odometer_m', value: odometer },
      { type: 'runtime_s', value: runtime },
      ...(cell.mcc > 0 ? [{ type: 'cell', value: cell }] : []),
      ...portReadings('din', ports >> 8),
      ...portReadings('dout', ports & 0xff),
      { type: 'ain1', value: analog / 100 },
      { type: 'ext_voltage', value: volts(power * scale.power) },
    ],
    recordId: String(event),
  };
}
