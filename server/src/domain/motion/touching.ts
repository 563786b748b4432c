import type { Cell } from '../../platform/storage/shape.ts';

/** Trips and stops that overlap a range, in order. */

/** No trip lasts longer, so one that begins earlier cannot overlap a range. */
const LONGEST_MS = 60 * 86_400_000;
const MOST = 10_000;

export interface TouchedRange {
  readonly deviceId: number;
  readonly from: number;
  readonly to: number;
}

export function touchingSql(table: 'trips' | 'stops', columns: readonly string[], limit = MOST): string {
  const listed = columns.map((column) => `"${column}"`).join(', ');
  return `SELECT ${listed} FROM "${table}" WHERE "deviceId" = ? AND "start" >= ? AND "start" <= ? AND "end" >= ? ORDER BY "start", "id" LIMIT ${limit}`;
}

export const touchingCells = ({ deviceId, from, to }: TouchedRange): Cell[] => [deviceId, from - LONGEST_MS, to, from];
