import { i16, u8, u16 } from '../bytes.ts';
import { read } from '../record/networks.ts';
import { alarmOfCamera } from './alarms.ts';
import { timeAt } from './clock.ts';
import type { Gt06Message, Gt06Reader } from './frame.ts';
import { GPS_BYTES, readGps, readPlace } from './gps-block.ts';
import { cardAt, readVoltage } from './locations.ts';
import { CELL, CELL_4G, type CellLayout, layoutAt, readCell, sizeOf } from './networks.ts';
import { readStatusBlock, STATUS_BYTES } from './status.ts';

/**
 * 16, 26, 27, 32, A3, A4: place, length of the cell 1, cell, status. Some manufacturers include the length byte in the
 * length, others do not, so the width of the cell is the one that fits the frame.
 */
export const readAlarmFrame: Gt06Reader = (draft, message) => {
  const { all, content, session, type, length } = message;
  if (!readGps(draft, all, 0, session)) return false;
  const { model } = session;
  if (type === 0x16 && length === 0x24) {
    const at = readCell(draft, content, GPS_BYTES, layoutAt(content, GPS_BYTES, CELL));
    readVoltage(draft, content, at, model);
    return true;
  }
  const cellAt = GPS_BYTES + 1;
  if (content.length < cellAt + STATUS_BYTES) return true;
  const hasFence = type === 0x27 || type === 0xa4;
  const statusBytes = STATUS_BYTES + (hasFence ? 1 : 0);
  if (content[cellAt - 1] === 0) {
    readStatusBlock(draft, content, content.length - statusBytes, model, hasFence);
    return true;
  }
  const fit = fittingCell(message, cellAt, statusBytes);
  if (fit) readCell(draft, content, cellAt, fit.layout);
  const statusAt = cellAt + (fit?.size ?? content[cellAt - 1]! - 1);
  readStatusBlock(draft, content, statusAt, model, hasFence);
  const left = content.length - statusAt - statusBytes;
  if (type === 0x32 && left === 2) draft.altitudeM = i16(content, statusAt + statusBytes);
  if (type === 0x16 && left === 8) read(draft, 'driver_id', cardAt(content, statusAt + statusBytes, 8));
  const fence = hasFence ? u8(content, statusAt + STATUS_BYTES) : undefined;
  if (fence !== undefined && fence !== 0xff) read(draft, 'fence', fence);
  return true;
};

function fittingCell(
  { content, type }: Gt06Message,
  at: number,
  statusBytes: number,
): { layout: CellLayout; size: number } | undefined {
  const left = content.length - at - statusBytes;
  const usual = layoutAt(content, at, type === 0xa3 || type === 0xa4 ? CELL_4G : CELL);
  const layouts: CellLayout[] = [usual, { ...usual, cid: 4 }];
  if (type === 0x32) layouts.push({ mnc: 2, lac: 2, cid: 4 }, { mnc: 2, lac: 2, cid: 8 });
  const extras = type === 0x32 ? [0, 2] : type === 0x16 ? [0, 8] : [0];
  for (const extra of extras)
    for (const layout of layouts) if (sizeOf(layout) === left - extra) return { layout, size: sizeOf(layout) };
  return sizeOf(usual) <= left ? { layout: usual, size: sizeOf(usual) } : undefined;
}

/** 19, A5: cell and status, without a place. */
export const readCellAlarm: Gt06Reader = (draft, { content, session, type }) => {
  const at = readCell(draft, content, 0, layoutAt(content, 0, type === 0xa5 ? CELL_4G : CELL));
  if (at === 0 || content.length - at < STATUS_BYTES) return false;
  readStatusBlock(draft, content, at, session.model);
  return true;
};

/** 95 of cameras: time 6, place without satellites and speed, event 1, data 2, names of files. */
export const readCameraAlarm: Gt06Reader = (draft, { content, session }) => {
  if (content.length < 7) return false;
  if (content.length === 7) {
    draft.timestamp = timeAt(content, 0, session);
    return readCameraEvent(draft, content, 6, false);
  }
  if (u16(content, 0) === 0xffff) {
    // Marker 2, version 1, then the place, whose flags precede a two-byte speed.
    if (content.length < 3 + 19 + 5) return false;
    draft.timestamp = timeAt(content, 3, session);
    draft.sats = content[9]! & 15;
    readPlace(draft, content.readUInt32BE(10), content.readUInt32BE(14), content.readUInt16BE(18));
    draft.speedKmh = content.readUInt16BE(20);
    read(draft, 'ext_voltage', content.readUInt16BE(22) / 10);
    return readCameraEvent(draft, content, 24, true);
  }
  if (content.length < 17) return false;
  draft.timestamp = timeAt(content, 0, session);
  readPlace(draft, content.readUInt32BE(6), content.readUInt32BE(10), content.readUInt16BE(14));
  return readCameraEvent(draft, content, 16, true);
};

function readCameraEvent(draft: Parameters<Gt06Reader>[0], content: Buffer, at: number, hasPlace: boolean): boolean {
  const event = content[at]!;
  const alarm = alarmOfCamera(event, hasPlace);
  if (alarm) draft.alarms = [alarm];
  read(draft, 'event_code', event);
  const files = content.toString('latin1', at + 3);
  if (files.length > 0) read(draft, 'text', files);
  return true;
}

/**
 * 32, 33 in long frames: time 6, length 1 and remaining bytes of the place, lengths and cells, lengths and Wi-Fi,
 * status 1.
 */
export const readLongPlace: Gt06Reader = (draft, { content, session, type }) => {
  draft.timestamp = timeAt(content, 0, session);
  let at = 6;
  const gpsBytes = u8(content, at);
  if (gpsBytes === undefined) return false;
  at += 1;
  if (gpsBytes > 0) {
    if (at + 12 > content.length) return false;
    draft.sats = content[at]! & 15;
    draft.speedKmh = content[at + 9]!;
    readPlace(draft, content.readUInt32BE(at + 1), content.readUInt32BE(at + 5), content.readUInt16BE(at + 10));
    at += 12;
  }
  const cellBytes = u8(content, at) ?? 0;
  at += 1;
  if (cellBytes > 0) {
    at = readCell(draft, content, at, layoutAt(content, at, CELL));
    draft.gsmSignal = u8(content, at);
    at += 1;
  }
  at += 1 + (u8(content, at) ?? 0);
  at += 1 + (u8(content, at) ?? 0);
  const status = u8(content, at);
  if (type !== 0x33 || status === undefined) return true;
  if (status === 0xa0 || status === 0xa1) read(draft, 'armed', status === 0xa0);
  else if (status === 0xa2 || status === 0xa3) draft.alarms = ['lowBattery'];
  else if (status === 0xa4) draft.alarms = ['general'];
  else if (status === 0xa5) draft.alarms = ['door'];
  return true;
};
