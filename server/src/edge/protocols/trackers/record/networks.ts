import { cellReadings } from './cells.ts';
import { type RecordDraft, read } from './draft.ts';

export interface HeardCell {
  readonly mcc: number;
  readonly mnc: number;
  readonly lac: number;
  readonly cid: number;
  /** dBm */
  readonly rssi?: number;
}

export interface HeardWifi {
  readonly mac: string;
  /** dBm */
  readonly rssi?: number;
  readonly name?: string;
}

/** The first is the one that the device is connected to. Empty places of a list are left out. */
export function readCells(draft: RecordDraft, cells: readonly HeardCell[]): void {
  const real = cells.filter(({ mcc, cid }) => mcc !== 0 && Number.isSafeInteger(cid));
  for (const { type, value, meta } of cellReadings(real)) read(draft, type, value, meta);
}

export function readWifi(draft: RecordDraft, wifi: readonly HeardWifi[]): void {
  if (wifi.length > 0) read(draft, 'wifi', wifi);
}

export const macAt = (bytes: Buffer, at: number): string =>
  bytes
    .toString('hex', at, at + 6)
    .replace(/..(?!$)/g, '$&:')
    .toUpperCase();
