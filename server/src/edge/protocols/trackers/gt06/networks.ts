import { u8, u16 } from '../bytes.ts';
import {
  type CellReading,
  macAt,
  type RecordDraft,
  readCells,
  readWifi,
  type WifiReading,
} from '../record/networks.ts';
import { bcdTimeAt, timeAt } from './clock.ts';
import type { Gt06Message, Gt06Reader } from './frame.ts';
import { readAlarm } from './status.ts';

/** Widths of the parts of a cell's identity: 4G types are wider. */
export interface CellLayout {
  readonly mnc: 1 | 2;
  readonly lac: 2 | 4;
  readonly cid: 3 | 4 | 8;
}

export const CELL: CellLayout = { mnc: 1, lac: 2, cid: 3 };
export const CELL_4G: CellLayout = { mnc: 1, lac: 4, cid: 8 };

/** Bit 15 of the country code means that the network code has two bytes. */
export const layoutAt = (bytes: Buffer, at: number, layout: CellLayout): CellLayout =>
  (u16(bytes, at) ?? 0) & 0x8000 ? { ...layout, mnc: 2 } : layout;

export const sizeOf = ({ mnc, lac, cid }: CellLayout) => 2 + mnc + lac + cid;

/** Country 2, network, area, cell. Returns the offset after them. */
export function readCell(draft: RecordDraft, bytes: Buffer, at: number, layout: CellLayout): number {
  const end = at + sizeOf(layout);
  if (end > bytes.length) return at;
  const lacAt = at + 2 + layout.mnc;
  readCells(draft, [
    {
      mcc: bytes.readUInt16BE(at) & 0x7fff,
      mnc: bytes.readUIntBE(at + 2, layout.mnc),
      lac: bytes.readUIntBE(lacAt, layout.lac),
      cid: cidAt(bytes, lacAt + layout.lac, layout.cid),
    },
  ]);
  return end;
}

const cidAt = (bytes: Buffer, at: number, size: 3 | 4 | 8): number =>
  size === 8 ? Number(bytes.readBigUInt64BE(at)) : bytes.readUIntBE(at, size);

interface Cells {
  readonly cells: readonly CellReading[];
  readonly end: number;
}

/** Cells of one network: area, cell, signal as −n dBm. */
function cellsAt(
  content: Buffer,
  at: number,
  { count, lac, cid, mncBytes }: { count: number; lac: 2 | 4; cid: 3 | 4 | 8; mncBytes: 1 | 2 },
): Cells {
  const bits = u16(content, at) ?? 0;
  const mcc = bits & 0x7fff;
  const mnc = (mncBytes === 2 ? u16(content, at + 2) : u8(content, at + 2)) ?? 0;
  const cells: CellReading[] = [];
  let from = at + 2 + mncBytes;
  for (let index = 0; index < count && from + lac + cid + 1 <= content.length; index += 1) {
    const area = content.readUIntBE(from, lac);
    cells.push({
      mcc,
      mnc,
      lac: area,
      cid: area === 0 ? 0 : cidAt(content, from + lac, cid),
      rssi: -content[from + lac + cid]!,
    });
    from += lac + cid + 1;
  }
  return { cells, end: from };
}

/** Access points: count 1, then address 6 and signal 1 as −n dBm. Returns the offset after them. */
function readCountedWifi(draft: RecordDraft, content: Buffer, at: number): number {
  const count = u8(content, at) ?? 0;
  const wifi: WifiReading[] = [];
  let from = at + 1;
  for (let index = 0; index < count && from + 7 <= content.length; index += 1, from += 7)
    wifi.push({ mac: macAt(content, from), rssi: -content[from + 6]! });
  readWifi(draft, wifi);
  return from;
}

const WITH_WIFI = new Set([0x18, 0x2c, 0x33, 0xa2, 0xa9]);
const OF_4G = new Set([0xa1, 0xa2]);

/** 18, 24, 28, 2C, 2E, 33, 34, A1, A2, A9: time 6, country and network, cells, timing advance 1, maybe Wi-Fi. */
export const readCellList: Gt06Reader = (draft, { content, session, type, length }) => {
  draft.timestamp = timeAt(content, 0, session);
  // Two layouts have the timing advance first; one of them also has the number of cells.
  const isCountedList = type === 0x24 && length === 0x31;
  const isSl4x = type === 0x34;
  let at = isCountedList || isSl4x ? 7 : 6;
  const mncBytes = isSl4x || (u16(content, at) ?? 0) & 0x8000 ? 2 : 1;
  let count = type === 0x33 ? 6 : 7;
  let is4g = OF_4G.has(type);
  let headBytes = 0;
  if (isCountedList) {
    count = u8(content, at + 2 + mncBytes) ?? 0;
    headBytes = 1;
  } else if (type === 0xa9) {
    is4g = (u8(content, at + 2 + mncBytes) ?? 0) > 0;
    count = u8(content, at + 3 + mncBytes) ?? 0;
    headBytes = 2;
  }
  const remaining = headBytes === 0 ? content : withoutHead(content, at + 2 + mncBytes, headBytes);
  const hasWideCell = type === 0x33 || isSl4x;
  const { cells, end } = cellsAt(remaining, at, {
    count,
    mncBytes,
    lac: is4g ? 4 : 2,
    cid: is4g ? 8 : hasWideCell ? 4 : 3,
  });
  readCells(draft, cells);
  at = isCountedList || isSl4x ? end : end + 1;
  if (!WITH_WIFI.has(type)) return content.length > 6;
  at = readCountedWifi(draft, remaining, at);
  if (type === 0xa9) {
    const high = (u8(remaining, at + 1) ?? 0) >> 4;
    readAlarm(draft, (u8(remaining, at) ?? 0) | (high << 8), session.model);
  }
  return content.length > 6;
};

const withoutHead = (content: Buffer, at: number, size: number) =>
  Buffer.concat([content.subarray(0, at), content.subarray(at + size)]);

/** 17, 69 with a count in place of a length: time 6 in decimal digits, Wi-Fi, two-byte cells. */
export function readCountedNetworks(draft: RecordDraft, { all, session, length }: Gt06Message): void {
  draft.timestamp = bcdTimeAt(all, 0, session);
  const wifi: WifiReading[] = [];
  let at = 6;
  for (let index = 0; index < length && at + 7 <= all.length; index += 1, at += 7)
    wifi.push({ mac: macAt(all, at), rssi: -all[at + 6]! });
  readWifi(draft, wifi);
  const count = u8(all, at) ?? 0;
  const mcc = u16(all, at + 1);
  const mnc = u8(all, at + 3);
  if (mcc === undefined || mnc === undefined) return;
  const cells: CellReading[] = [];
  at += 4;
  for (let index = 0; index < count && at + 5 <= all.length; index += 1, at += 5)
    cells.push({ mcc, mnc, lac: all.readUInt16BE(at), cid: all.readUInt16BE(at + 2), rssi: -all[at + 4]! });
  readCells(draft, cells);
}

/** F3: time 6 in decimal digits, count 1, then two unused bytes and an address 6 each. */
export function readAddresses(draft: RecordDraft, { all, session }: Gt06Message): void {
  draft.timestamp = bcdTimeAt(all, 0, session);
  const wifi: WifiReading[] = [];
  const count = u8(all, 6) ?? 0;
  for (let index = 0, at = 7; index < count && at + 8 <= all.length; index += 1, at += 8)
    wifi.push({ mac: macAt(all, at + 2) });
  readWifi(draft, wifi);
}
