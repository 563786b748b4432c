import type { AlarmWord } from '../alarm-words.ts';
import { u8, u16, u32 } from '../bytes.ts';
import { macAt, type RecordDraft, read, readCells, readWifi } from '../record/networks.ts';
import type { BeaconReading, TrackerSession } from '../tracker.ts';
import { CAMERA_EVENTS } from './alarms.ts';

/** Manufacturer-specific items that contain further items. Each function returns false if the layout does not match. */

const add = (draft: RecordDraft, list: 'alarms' | 'standingAlarms', alarm: AlarmWord) => {
  if (!draft[list]?.includes(alarm)) draft[list] = [...(draft[list] ?? []), alarm];
};

/** EB: (length 2, identifier 2, value), where the length includes the identifier; or cells; or text. */
export function readNested(draft: RecordDraft, value: Buffer): boolean {
  if ((u16(value, 0) ?? 0) > 200 && (value.length - 3) % 5 === 0) return readNestedCells(draft, value);
  let at = 0;
  const parts: [number, Buffer][] = [];
  while (at + 4 <= value.length) {
    const end = at + 2 + value.readUInt16BE(at);
    if (end > value.length || end < at + 4) return false;
    parts.push([value.readUInt16BE(at + 2), value.subarray(at + 4, end)]);
    at = end;
  }
  if (at !== value.length) return false;
  for (const [id, part] of parts) readNestedPart(draft, id, part);
  return true;
}

function readNestedCells(draft: RecordDraft, value: Buffer): boolean {
  const [mcc, mnc] = [value.readUInt16BE(0), value[2]!];
  readCells(
    draft,
    Array.from({ length: (value.length - 3) / 5 }, (_, index) => {
      const at = 3 + index * 5;
      return { mcc, mnc, lac: value.readUInt16BE(at), cid: value.readUInt16BE(at + 2), rssi: -value[at + 4]! };
    }),
  );
  return true;
}

function readNestedPart(draft: RecordDraft, id: number, value: Buffer): void {
  const first = u16(value, 0);
  const bits = u32(value, 0);
  if (id === 0x23) read(draft, 'fuel_l', Number(value.toString('latin1')));
  else if (id === 0x2d && value.length === 4) read(draft, 'ext_voltage', bits! / 1000);
  else if (id === 0x2d && first !== undefined) draft.batteryVoltage = first / 1000;
  else if (id === 0x89 && bits !== undefined) {
    // These bits are 0 while the condition is active.
    if (!(bits & 1)) add(draft, 'standingAlarms', 'powerCut');
    if (!(bits & 0x1000)) add(draft, 'standingAlarms', 'tamper');
  } else if (id === 0xb2) read(draft, 'iccid', value.toString('hex', 0, 10).replace(/f+$/, ''));
  else if (id === 0xb9) readTextWifi(draft, value.toString('latin1', 1));
  else if (id === 0xc5 && bits !== undefined) {
    if (!(bits & 0x40)) add(draft, 'standingAlarms', 'vibration');
    const motion = (bits >>> 23) & 3;
    if (motion < 2) read(draft, 'moving', motion === 0);
  } else if (id === 0xc6 && (value[0] === 3 || value[0] === 4)) add(draft, 'standingAlarms', 'lowBattery');
  else if (id === 0xce && first !== undefined) read(draft, 'ext_voltage', first / 100);
  else if (id === 0xd8 && value.length >= 9)
    readCells(draft, [
      { mcc: value.readUInt16BE(0), mnc: value[2]!, lac: value.readUInt16BE(3), cid: value.readUInt32BE(5) },
    ]);
  else if ((id === 0xa8 || id === 0xe1) && (value[0] ?? 255) <= 100) draft.batteryPct = value[0];
}

/** `mac,rssi,mac,rssi` */
function readTextWifi(draft: RecordDraft, text: string): void {
  const fields = text.split(',');
  const wifi = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const rssi = Number(fields[index + 1]);
    if (Number.isFinite(rssi)) wifi.push({ mac: fields[index]!.toUpperCase(), rssi });
  }
  readWifi(draft, wifi);
}

/** EA: kind 1, then (identifier 1, length 1, value) of external measurements. */
export function readExtended(draft: RecordDraft, value: Buffer): boolean {
  if (value.length <= 2) return false;
  for (let at = 1; at + 2 <= value.length; ) {
    const end = at + 2 + value[at + 1]!;
    if (end > value.length) return false;
    const tenths = u16(value, at + 2);
    if (value[at] === 0x15 && tenths !== undefined) read(draft, 'humidity', tenths / 10);
    if (value[at] === 0x16 && tenths !== undefined) read(draft, 'temp', tenths / 10 - 50);
    at = end;
  }
  return true;
}

/** Locks of other manufacturers have an E8 of this length. */
const LOCK_BYTES = 3;

/** E8 of Jimi's cameras, such as JC371: event 2, then its data. */
export function readCameraItem(draft: RecordDraft, value: Buffer, { model = '' }: TrackerSession): boolean {
  const kind = u16(value, 0);
  const isCamera = model === '' ? value.length !== LOCK_BYTES : /^JC/i.test(model);
  if (kind === undefined || !isCamera) return false;
  const alarm = CAMERA_EVENTS.get(kind);
  if (alarm) add(draft, 'alarms', alarm);
  if (kind === 0x2003 && value.length >= 10) {
    draft.isCharging = value[3] === 1;
    if (value[4]! >= 1 && value[4]! <= 6) draft.batteryPct = Math.floor((value[4]! * 100) / 6);
    draft.batteryVoltage = value.readUInt16BE(5) / 100;
    draft.gsmSignal = value[7];
    read(draft, 'ext_voltage', value.readUInt16BE(8) / 100);
  }
  return true;
}

/** 77, tyres: for each, number 1, sensor 3, pressure 2, temperature 1, status 1. */
export function readTyres(draft: RecordDraft, value: Buffer): boolean {
  if (value.length === 0 || value.length % 8 !== 0) return false;
  for (let at = 0; at < value.length; at += 8)
    read(draft, `tyre${value[at]}`, {
      sensor: value.toString('hex', at + 1, at + 4),
      bar: (value.readUInt16BE(at + 4) & 0x3ff) / 40,
      temp: value[at + 6]! - 50,
      status: value[at + 7]!,
    });
  return true;
}

/** 80: items of an OBD adapter. */
export function readObd(draft: RecordDraft, value: Buffer): boolean {
  for (let at = 0; at + 2 <= value.length; ) {
    const end = at + 2 + value[at + 1]!;
    if (end > value.length) break;
    readObdItem(draft, value[at]!, value.subarray(at + 2, end));
    at = end;
  }
  return true;
}

function readObdItem(draft: RecordDraft, id: number, value: Buffer): void {
  const [byte, word, long] = [u8(value, 0), u16(value, 0), u32(value, 0)];
  if (byte === undefined) return;
  if (id === 0x80) read(draft, 'obd_speed', byte);
  else if (id === 0x81) read(draft, 'rpm', word);
  else if (id === 0x82 && word !== undefined) read(draft, 'ext_voltage', word / 10);
  else if (id === 0x84) read(draft, 'engine_temp', byte - 40);
  else if (id === 0x8b) read(draft, 'vin', value.toString('latin1', 0, 17));
  else if (id === 0x8c && long !== undefined) read(draft, 'odometer_m', long * 100);
  else if (id === 0x8d && word !== undefined) read(draft, 'trip_m', word * 1000);
  else if (id === 0x8e) read(draft, 'fuel_pct', byte);
  else if (id === 0xa0) read(draft, 'dtc', value.toString('latin1').replaceAll(',', ' '));
  else if (id === 0xcc) read(draft, 'iccid', value.toString('latin1', 0, 20));
}

/** F3: received tags on some models; (identifier 2, length 1, value) of an OBD adapter on others. */
export function readTags(draft: RecordDraft, value: Buffer, { model = '' }: TrackerSession): boolean {
  return /^(?:AL300|GL100)/i.test(model) ? readTagTable(draft, value) : readObdTable(draft, value);
}

function readTagTable(draft: RecordDraft, value: Buffer): boolean {
  const mask = u8(value, 0) ?? 0;
  const sizes = [10, 2, 2, 2, 2, 6, 2, 2];
  const size = sizes.reduce((sum, bytes, bit) => (mask & (1 << bit) ? sum + bytes : sum), 7);
  if (value.length < 1 || (value.length - 1) % size !== 0) return false;
  const tagReadings: BeaconReading[] = [];
  for (let start = 1; start < value.length; start += size) {
    const sensorDeviceId = macAt(value, start);
    const rssi = value.readInt8(start + 6);
    let at = start + 7;
    tagReadings.push({ sensorDeviceId, type: 'rssi', value: rssi, rssi });
    sizes.forEach((bytes, bit) => {
      if (!(mask & (1 << bit))) return;
      if (bit === 2)
        tagReadings.push({ sensorDeviceId, type: 'battery_voltage', value: value.readUInt16BE(at) / 1000, rssi });
      if (bit === 3) tagReadings.push({ sensorDeviceId, type: 'temp', value: value.readInt16BE(at) / 10, rssi });
      if (bit === 4) tagReadings.push({ sensorDeviceId, type: 'humidity', value: value.readInt16BE(at) / 10, rssi });
      at += bytes;
    });
  }
  draft.tagReadings = [...(draft.tagReadings ?? []), ...tagReadings];
  return true;
}

function readObdTable(draft: RecordDraft, value: Buffer): boolean {
  for (let at = 0; at + 3 <= value.length; ) {
    const id = value.readUInt16BE(at);
    const end = at + 3 + value[at + 2]!;
    if (end > value.length) return false;
    const part = value.subarray(at + 3, end);
    const word = u16(part, 0);
    if (id === 0x50) read(draft, 'vin', part.toString('latin1', 0, 17));
    else if (word !== undefined) {
      if (id === 0x02) read(draft, 'obd_speed', word / 10);
      else if (id === 0x03) read(draft, 'rpm', word);
      else if (id === 0x04) read(draft, 'ext_voltage', word / 1000);
      else if (id === 0x05 && part.length === 4) read(draft, 'odometer_m', part.readUInt32BE(0) * 100);
      else if (id === 0x09) read(draft, 'engine_temp', word - 40);
      else if (id === 0x100) read(draft, 'trip_m', word * 100);
    }
    at = end;
  }
  return true;
}
