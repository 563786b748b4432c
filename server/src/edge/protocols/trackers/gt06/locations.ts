import { i16, u8, u16, u32 } from '../bytes.ts';
import { type RecordDraft, read } from '../record/networks.ts';
import { isTimeAt } from './clock.ts';
import type { Gt06Message, Gt06Reader } from './frame.ts';
import { GPS_BYTES, readGps, readIgnition } from './gps-block.ts';
import { CELL, CELL_4G, type CellLayout, layoutAt, readCell, sizeOf } from './networks.ts';
import { hundredths, readAlarm, readModules, readStatus, readStatusBlock } from './status.ts';

/** 10, 1A, 1E: a place without other known data. */
export const readPlaceOnly: Gt06Reader = (draft, { all, session }) => readGps(draft, all, 0, session);

/** 11: its cell has two bytes for the network and four for the cell; clones truncate it. */
export const readWith11: Gt06Reader = (draft, { all, content, session }) => {
  if (!readGps(draft, all, 0, session)) return false;
  readCell(draft, content, GPS_BYTES, { mnc: 2, lac: 2, cid: 4 });
  return true;
};

/** 12: place, cell, and a tail that depends on the length. */
export const read12: Gt06Reader = (draft, message) => {
  const { all, content, session } = message;
  const at = isTimeAt(all, 0) || !isImeiAt(all, 0) || !isTimeAt(all, 8) ? 0 : 8;
  if (!readGps(draft, all, at, session)) return false;
  const tailAt = readCell(draft, content, at + GPS_BYTES, layoutAt(content, at + GPS_BYTES, CELL));
  readTailOf12(draft, message, tailAt);
  return true;
};

/** 22, 2D, 31, 37, A0: place, cell, ignition 1, reason 1, whether buffered 1, and maybe an odometer 4. */
export const read22: Gt06Reader = (draft, message) => {
  const { all, content, session, type, length } = message;
  if (isOfSource(message)) return readOfSource(draft, message);
  if (!readGps(draft, all, 0, session)) return false;
  const isSl4x = type === 0x31 && length === 0x2a;
  const hasWideCell = length === 0x2f && type === 0x22;
  let layout: CellLayout = layoutAt(content, GPS_BYTES, type === 0xa0 ? CELL_4G : CELL);
  if (isSl4x) layout = { mnc: 2, lac: 2, cid: 8 };
  else if (hasWideCell) layout = { ...layout, cid: 4 };
  const at = readCell(draft, content, GPS_BYTES, layout);
  readUpload(draft, content, at);
  if (isSl4x) draft.altitudeM = i16(content, content.length - 2);
  else if (type === 0x37) readModules(draft, content, at + 3, 1);
  else if (content.length - at === 15) {
    read(draft, 'odometer_m', u32(content, at + 3));
    read(draft, 'temp', signMagnitude16(u16(content, at + 11)) / 100);
    read(draft, 'humidity', hundredths(u16(content, at + 13)));
  } else if (content.length - at === 7) read(draft, 'odometer_m', u32(content, at + 3));
  return true;
};

/** Ignition 1, reason 1, whether buffered 1. */
function readUpload(draft: RecordDraft, content: Buffer, at: number): void {
  if (content.length < at + 3) return;
  readIgnition(draft, content[at]! > 0);
  if (content[at + 2]! > 0) read(draft, 'buffered', true);
}

/** 38: place, reason, whether buffered, cell with its kind, modules. */
export const read38: Gt06Reader = (draft, { all, content, session }) => {
  if (!readGps(draft, all, 0, session)) return false;
  if ((content[GPS_BYTES + 1] ?? 0) > 0) read(draft, 'buffered', true);
  readModules(draft, content, readKindOfCell(draft, content, GPS_BYTES + 2), 1);
  return true;
};

/** 39: an alarm with a place, a cell with its kind, a status and modules. */
export const read39: Gt06Reader = (draft, { all, content, session }) => {
  if (!readGps(draft, all, 0, session)) return false;
  const at = readKindOfCell(draft, content, GPS_BYTES);
  readStatusBlock(draft, content, at, session.model, true);
  readModules(draft, content, at + 5, 1);
  return true;
};

/** Kind 1, cell, signal. Kinds from 3 are 4G. */
function readKindOfCell(draft: RecordDraft, content: Buffer, at: number): number {
  const is4g = (content[at] ?? 0) >= 3;
  const end = readCell(draft, content, at + 1, layoutAt(content, at + 1, is4g ? CELL_4G : CELL));
  return end + (is4g ? 2 : 1);
}

/** 17 with a valid length: place, cell, driver card 8, whether it is valid 1. */
export const readWithCard: Gt06Reader = (draft, { all, content, session }) => {
  if (!readGps(draft, all, 0, session)) return false;
  const at = readCell(draft, content, GPS_BYTES, layoutAt(content, GPS_BYTES, CELL));
  read(draft, 'driver_id', cardAt(content, at, 8));
  return true;
};

/** 36 of 48 bytes: place, four-byte cell, upload, odometer, voltages, hours, driver card. */
export const readLongWithCard: Gt06Reader = (draft, { all, content, session }) => {
  if (!readGps(draft, all, 0, session)) return false;
  const at = readCell(draft, content, GPS_BYTES, { ...layoutAt(content, GPS_BYTES, CELL), cid: 4 });
  readUpload(draft, content, at);
  read(draft, 'odometer_m', u32(content, at + 3));
  read(draft, 'ext_voltage', hundredths(u16(content, at + 7)));
  draft.batteryVoltage = (u8(content, at + 9) ?? 0) / 10;
  if (at + 13 <= content.length) read(draft, 'engine_hours', content.readUIntBE(at + 10, 3) / 60);
  read(draft, 'driver_id', cardAt(content, at + 13, 8));
  return true;
};

/** 61: IMEI 8, place, four-byte cell, driver card 6. */
export const read61: Gt06Reader = (draft, { all, content, session }) => {
  if (!readGps(draft, all, 8, session)) return false;
  const cellAt = 8 + GPS_BYTES;
  const at = readCell(draft, content, cellAt, { ...layoutAt(content, cellAt, CELL), cid: 4 });
  if (at + 6 <= content.length) read(draft, 'driver_id', String(content.readUIntBE(at, 6)));
  return true;
};

/** 24 of 41 bytes: place, cell, ignition, voltages. */
export const read24: Gt06Reader = (draft, { all, content, session }) => {
  if (!readGps(draft, all, 0, session)) return false;
  const at = readCell(draft, content, GPS_BYTES, layoutAt(content, GPS_BYTES, CELL));
  readIgnition(draft, (content[at] ?? 0) > 0);
  read(draft, 'ext_voltage', hundredths(u16(content, at + 1)));
  draft.batteryVoltage = hundredths(u16(content, at + 3));
  return true;
};

/** 34 of 55 bytes: alarm 4, place, status 2, odometer 4, cell, driver 4, voltages, ports. */
export const read34: Gt06Reader = (draft, { all, content, session }) => {
  if (!readGps(draft, all, 4, session)) return false;
  const at = 4 + GPS_BYTES + 2;
  read(draft, 'odometer_m', u32(content, at));
  const cellEnd = readCell(draft, content, at + 4, { ...CELL, cid: 4 });
  const driver = u32(content, cellEnd);
  if (driver) read(draft, 'driver_id', String(driver));
  read(draft, 'ext_voltage', hundredths(u16(content, cellEnd + 4)));
  draft.batteryVoltage = hundredths(u16(content, cellEnd + 6));
  const inputs = u8(content, cellEnd + 12);
  const analogs = ((u32(content, cellEnd + 8) ?? 0) >>> 20) & 15;
  if (inputs !== undefined) read(draft, 'din1', (inputs & 1) !== 0);
  for (let port = 0; port < analogs; port += 1)
    read(draft, `ain${port + 1}`, hundredths(u16(content, cellEnd + 14 + port * 2)));
  return true;
};

/** A2 of 59 bytes: place, 4G cell, status, voltage, battery, signal, alarm, odometer, hours. */
export const readA2: Gt06Reader = (draft, { all, content, session }) => {
  if (!readGps(draft, all, 0, session)) return false;
  const at = 1 + readCell(draft, content, GPS_BYTES, layoutAt(content, GPS_BYTES, CELL_4G));
  // The voltage is between the status and the fields that follow it in other types.
  const block = Buffer.concat([content.subarray(at, at + 1), content.subarray(at + 3, at + 7)]);
  readStatusBlock(draft, block, 0, session.model);
  read(draft, 'ext_voltage', hundredths(u16(content, at + 1)));
  read(draft, 'odometer_m', u32(content, at + 7));
  const seconds = u32(content, at + 11);
  if (seconds !== undefined) read(draft, 'engine_hours', seconds / 3600);
  return true;
};

/** On some models 22 and 25 start with the source of the place 1, the IMEI 8 and the time of sending 6. */
const isOfSource = ({ all }: Gt06Message) => isImeiAt(all, 1) && isTimeAt(all, 9) && isTimeAt(all, 15);

export const readOfSource: Gt06Reader = (draft, { all, content, session, type }) => {
  if (!isImeiAt(all, 1) || !readGps(draft, all, 15, session))
    return readPlaceOnly(draft, { all, session } as Gt06Message);
  const cellAt = 15 + GPS_BYTES + 1;
  const size = content[cellAt - 1] ?? 0;
  const layout = layoutAt(content, cellAt, CELL);
  readCell(draft, content, cellAt, size > sizeOf(layout) ? { ...layout, cid: 4 } : layout);
  const at = cellAt + size;
  readStatus(draft, u8(content, at));
  read(draft, 'ext_voltage', hundredths(u16(content, at + 1)));
  draft.batteryVoltage = (u8(content, at + 3) ?? 0) / 10;
  draft.gsmSignal = u8(content, at + 4);
  if (at + 13 > content.length) return true;
  read(draft, 'odometer_m', content.readUIntBE(at + 7, 3));
  read(draft, 'engine_hours', content.readUIntBE(at + 10, 3) / 60);
  const driverBytes = type === 0x25 ? (content[at + 13] ?? 0) : 0;
  if (driverBytes > 1) read(draft, 'driver_id', cardAt(content, at + 15, driverBytes - 1));
  return true;
};

export function cardAt(content: Buffer, at: number, size: number): string | undefined {
  const card = content.toString('hex', at, at + size);
  return card.length === size * 2 && /[^0]/.test(card) ? card : undefined;
}

/** Eight bytes of decimal digits that start with 0. */
function isImeiAt(bytes: Buffer, at: number): boolean {
  if (at + 8 > bytes.length || bytes[at]! > 9) return false;
  for (let digit = at; digit < at + 8; digit += 1) if ((bytes[digit]! & 15) > 9 || bytes[digit]! > 0x99) return false;
  return true;
}

const signMagnitude16 = (value = Number.NaN) => (value & 0x8000 ? -(value & 0x7fff) : value);

/**
 * Manufacturer-specific data after place and cell of type 12, selected by the length of the frame; unknown ones are
 * ignored.
 */
function readTailOf12(draft: RecordDraft, { content, length, session }: Gt06Message, at: number): void {
  const left = content.length - at;
  if (length === 0x21 && left === 2) readMask(draft, content.readUInt16BE(at));
  else if (length === 0x24 && left === 5) readVoltage(draft, content, at, session.model);
  else if (length === 0x2b && left === 12) {
    readVoltage(draft, content, at, session.model);
    const degrees = content[at + 7]!;
    read(draft, 'temp', degrees & 0x80 ? -(degrees & 0x7f) : degrees);
    read(draft, 'odometer_m', content.readUInt32BE(at + 8) * 10);
  } else if (length === 0x29 && left > 5) readCard(draft, content, at, true);
  else if (length >= 0x71 && left > 5) readCard(draft, content, at, false);
  else if (left === 3 || left === 7) {
    readIgnition(draft, content[at]! > 0);
    if (content[at + 2]! > 0) read(draft, 'buffered', true);
    read(draft, 'odometer_m', u32(content, at + 3));
  } else if (left === 4) read(draft, 'odometer_m', content.readUInt32BE(at));
}

/** Bits: 15 ignition, 14 second input, 12 whether a temperature follows, 13 and 9–0 an analog input. */
function readMask(draft: RecordDraft, mask: number): void {
  readIgnition(draft, (mask & 0x8000) !== 0);
  read(draft, 'din2', (mask & 0x4000) !== 0);
  const low = mask & 0x1ff;
  if (mask & 0x1000) read(draft, 'temp', mask & 0x200 ? -low : low);
  else read(draft, 'ain1', mask & 0x2000 ? mask & 0x3ff : (mask & 0x3ff) / 10);
}

/** Status 1, voltage 2, signal 1, alarm 1. */
export function readVoltage(draft: RecordDraft, content: Buffer, at: number, model: string | undefined): void {
  readStatus(draft, content[at]);
  read(draft, 'ext_voltage', hundredths(u16(content, at + 1)));
  draft.gsmSignal = content[at + 3];
  readAlarm(draft, content[at + 4], model);
}

/** Odometer 4, length 1, text of a card, alarm 1. */
function readCard(draft: RecordDraft, content: Buffer, at: number, hasAlarm: boolean): void {
  read(draft, 'odometer_m', content.readUInt32BE(at));
  const end = at + 5 + content[at + 4]!;
  const text = content.toString('latin1', at + 5, end).trim();
  if (/[^0\s]/.test(text)) read(draft, 'driver_id', text);
  if (hasAlarm && (content[end] ?? 0) > 0) draft.alarms = ['general'];
}
