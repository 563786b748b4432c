import type { TrackerReading } from '../tracker.ts';

export interface Cell {
  readonly mcc?: number;
  readonly mnc?: number;
  readonly lac: number;
  readonly cid: number;
  readonly rssi?: number;
}

const MOST_NEIGHBOURS = 20;

/** The cell that serves a device, with those it hears beside it. Cells of number 0 are none. */
export function cellReadings(cells: readonly Cell[]): TrackerReading[] {
  const [serving, ...others] = cells.filter(({ lac, cid }) => lac > 0 || cid > 0).map(known);
  if (!serving) return [];
  const neighbours = others.slice(0, MOST_NEIGHBOURS);
  return [{ type: 'cell', value: serving, ...(neighbours.length > 0 ? { meta: { neighbours } } : {}) }];
}

const known = (cell: Cell) =>
  Object.fromEntries(Object.entries(cell).filter(([, value]) => value !== undefined)) as unknown as Cell;
