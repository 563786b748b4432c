import { withoutUnset } from '../../claims.ts';
import { fixOf } from '../frame/cut.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';

export interface CellReading {
  readonly mcc: number;
  readonly mnc: number;
  readonly lac: number;
  readonly cid: number;
  /** dBm */
  readonly rssi?: number;
}

export interface WifiReading {
  readonly mac: string;
  /** dBm */
  readonly rssi?: number;
  readonly name?: string;
}

/** The first is the serving cell. Empty entries of a list are left out. */
export function readCells(draft: RecordDraft, cells: readonly CellReading[]): void {
  const real = cells.filter(({ mcc, cid }) => mcc !== 0 && Number.isSafeInteger(cid));
  for (const { type, value, meta } of cellReadings(real)) read(draft, type, value, meta);
}

export function readWifi(draft: RecordDraft, wifi: readonly WifiReading[]): void {
  if (wifi.length > 0) read(draft, 'wifi', wifi);
}

export const macAt = (bytes: Buffer, at: number): string =>
  bytes
    .toString('hex', at, at + 6)
    .replace(/..(?!$)/g, '$&:')
    .toUpperCase();

/** A record during decoding. */
export type RecordDraft = { -readonly [Field in keyof TrackerRecord]: TrackerRecord[Field] } & {
  readings: TrackerReading[];
};

export const newDraft = (): RecordDraft => ({ isValid: false, readings: [] });

/** Adds a reading, unless its value is undefined. */
export function read(draft: RecordDraft, type: string, value: unknown, meta?: Record<string, unknown>): void {
  if (value === undefined || value === '' || Number.isNaN(value)) return;
  draft.readings.push(meta === undefined ? { type, value } : { type, value, meta });
}

/** Sets the location of the draft and whether it is valid; a location without a time is the last known one. */
export function putAt(draft: RecordDraft, lat: number, lng: number, isVouchedFor: boolean): void {
  // Adding 0 converts the −0 of a southern or western zero to 0.
  const { location, isValid } = fixOf(lat + 0, lng + 0, isVouchedFor && draft.timestamp !== undefined);
  draft.location = location;
  draft.isValid = isValid;
}

/** Whether the draft contains anything except its time. */
export const saysSomething = ({ timestamp, isValid, readings, ...rest }: RecordDraft): boolean =>
  readings.length > 0 || Object.values(rest).some((value) => value !== undefined);

/** A cell; some devices send only its area and cell numbers. */
export interface NearCell {
  readonly mcc?: number;
  readonly mnc?: number;
  readonly lac: number;
  readonly cid: number;
  readonly rssi?: number;
}

const MOST_CELLS = 20;

/** The first is the serving cell. Cells with number 0 are ignored. */
export function cellReadings(cells: readonly NearCell[]): TrackerReading[] {
  const real = cells.filter(({ lac, cid }) => lac > 0 || cid > 0).slice(0, MOST_CELLS);
  const [first] = real;
  if (!first) return [];
  const { rssi, ...cell } = first;
  const serving = { type: 'cell', value: withoutUnset(cell), ...(rssi === undefined ? {} : { meta: { rssi } }) };
  return real.length > 1 ? [serving, { type: 'cells', value: real.map((one) => withoutUnset(one)) }] : [serving];
}
