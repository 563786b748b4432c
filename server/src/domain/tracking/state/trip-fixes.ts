import type { Kysely } from 'kysely';
import type { Located } from '../../fix.ts';
import { accuracyM } from '../../geofences/confidence.ts';
import { positions } from '../../positions/positions.ts';
import type { Tables } from '../../schema/tables.ts';
import { better, type StoredPoint } from '../evaluate/inputs.ts';

/** The stored fixes of a device in a range of time. */

const FIX_COLUMNS = [
  'timestamp',
  'locationLat',
  'locationLng',
  'speed',
  'accuracy',
  'locationType',
] as const satisfies (keyof StoredPoint)[];
type FixCells = Pick<StoredPoint, (typeof FIX_COLUMNS)[number]>;

interface FixesWanted {
  readonly deviceId: number;
  readonly from: number;
  readonly to: number;
  readonly limit?: number;
}

/** In the order of their time, then of their ids. */
export const readFixes = (query: Kysely<Tables>, { limit = Number.MAX_SAFE_INTEGER, ...wanted }: FixesWanted) =>
  positions(query, { ...wanted, limit, columns: FIX_COLUMNS, kind: 'fixes' });

export const placeIn = ({ locationLat, locationLng }: FixCells) => ({ lat: locationLat!, lng: locationLng! });

/** One fix for each instant, the best of its positions; these come in the order of their time. */
export function fixesOf(rows: readonly FixCells[]): Located[] {
  const fixes: Located[] = [];
  for (let start = 0; start < rows.length; ) {
    let best = rows[start]!;
    let end = start + 1;
    for (; end < rows.length && rows[end]!.timestamp === best.timestamp; end++)
      if (better(rows[end]!, best) < 0) best = rows[end]!;
    fixes.push({
      at: best.timestamp,
      pointId: 0,
      place: placeIn(best),
      accuracyM: accuracyM(best),
      speedKmh: best.speed ?? undefined,
      alerts: 0,
    });
    start = end;
  }
  return fixes;
}
