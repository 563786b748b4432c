import { u16 } from '../bytes.ts';
import type { RecordDraft } from '../record/draft.ts';
import { readCells } from '../record/networks.ts';

/** How wide the parts of a cell's address are: those of 4G types are wider. */
export interface CellLayout {
  readonly mnc: 1 | 2;
  readonly lac: 2 | 4;
  readonly cid: 3 | 4 | 8;
}

export const CELL: CellLayout = { mnc: 1, lac: 2, cid: 3 };
export const CELL_4G: CellLayout = { mnc: 1, lac: 4, cid: 8 };

/** Bit 15 of the country's code says that the network's code has two bytes. */
export const layoutAt = (bytes: Buffer, at: number, layout: CellLayout): CellLayout =>
  (u16(bytes, at) ?? 0) & 0x8000 ? { ...layout, mnc: 2 } : layout;

export const sizeOf = ({ mnc, lac, cid }: CellLayout) => 2 + mnc + lac + cid;

/** Country 2, network, area, cell. Returns where the address ends. */
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

export const cidAt = (bytes: Buffer, at: number, size: 3 | 4 | 8): number =>
  size === 8 ? Number(bytes.readBigUInt64BE(at)) : bytes.readUIntBE(at, size);
