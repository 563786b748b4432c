import { u16 } from '../bytes.ts';
import { type Draft, read } from '../draft.ts';

/** How wide the parts of a cell's address are: those of 4G types are wider. */
export interface CellLayout {
  readonly mnc: 1 | 2;
  readonly lac: 2 | 4;
  readonly cid: 3 | 4 | 8;
}

export interface Cell {
  readonly mcc: number;
  readonly mnc: number;
  readonly lac: number;
  readonly cid: number;
  readonly rssi?: number;
}

export const CELL: CellLayout = { mnc: 1, lac: 2, cid: 3 };
export const CELL_4G: CellLayout = { mnc: 1, lac: 4, cid: 8 };

/** Bit 15 of the country's code says that the network's code has two bytes. */
export const layoutAt = (bytes: Buffer, at: number, layout: CellLayout): CellLayout =>
  (u16(bytes, at) ?? 0) & 0x8000 ? { ...layout, mnc: 2 } : layout;

export const sizeOf = ({ mnc, lac, cid }: CellLayout) => 2 + mnc + lac + cid;

/** Country 2, network, area, cell. Returns where the address ends. */
export function readCell(draft: Draft, bytes: Buffer, at: number, layout: CellLayout): number {
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

export const cidAt = (bytes: Buffer, at: number, size: 3 | 4 | 8): number =>
  size === 8 ? Number(bytes.readBigUInt64BE(at)) : bytes.readUIntBE(at, size);

/** The first is the one that the device is connected to. Empty places of a list are left out. */
export function readCells(draft: Draft, cells: readonly Cell[]): void {
  const real = cells.filter(({ mcc, lac, cid }) => mcc !== 0 && (lac !== 0 || cid !== 0) && Number.isSafeInteger(cid));
  const [first] = real;
  if (first === undefined) return;
  const { rssi, ...cell } = first;
  read(draft, 'cell', cell, rssi === undefined ? undefined : { rssi });
  if (real.length > 1) read(draft, 'cells', real);
}

export const macAt = (bytes: Buffer, at: number): string =>
  Array.from(bytes.subarray(at, at + 6), (byte) => byte.toString(16).padStart(2, '0'))
    .join(':')
    .toUpperCase();
