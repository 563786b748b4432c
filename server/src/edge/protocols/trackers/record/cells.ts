import type { TrackerReading } from '../tracker.ts';

/** A cell of which some devices tell no more than its own numbers. */
export interface NearCell {
  readonly mcc?: number;
  readonly mnc?: number;
  readonly lac: number;
  readonly cid: number;
  readonly rssi?: number;
}

const MOST_CELLS = 20;

/** The first is the one that serves the device. Cells of number 0 are none. */
export function cellReadings(cells: readonly NearCell[]): TrackerReading[] {
  const real = cells.filter(({ lac, cid }) => lac > 0 || cid > 0).slice(0, MOST_CELLS);
  const [first] = real;
  if (!first) return [];
  const { rssi, ...cell } = first;
  const serving = { type: 'cell', value: known(cell), ...(rssi === undefined ? {} : { meta: { rssi } }) };
  return real.length > 1 ? [serving, { type: 'cells', value: real.map(known) }] : [serving];
}

const known = (cell: object) => Object.fromEntries(Object.entries(cell).filter(([, value]) => value !== undefined));
