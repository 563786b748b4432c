import {
  MOST_HEAT_CELLS,
  MOST_HEAT_DEVICES,
  MOST_HEAT_POSITIONS,
} from '@trackway/contract/resources/fleet-tools/heat-map.ts';
import type { Scope } from '../../platform/collection.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import { positions } from '../positions/positions.ts';
import { hasSegments } from '../positions/segments.ts';
import type { Tables } from '../schema/tables.ts';

interface HeatWanted {
  /** The devices to include. */
  readonly scope: Scope;
  readonly from: number;
  readonly to: number;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  /** In degrees. */
  readonly cell: number;
}

interface HeatCell {
  readonly lat: number;
  readonly lng: number;
  readonly count: number;
}

export interface Heat {
  readonly cells: HeatCell[];
  readonly isComplete: boolean;
}

/** The newest positions of a device in a period, by cell. */
const CELLS = `SELECT ROUND(p."lat" / ?) AS "y", ROUND(p."lng" / ?) AS "x", COUNT(*) AS "count", MAX(p."total") AS "total"
  FROM (SELECT q."locationLat" AS "lat", q."locationLng" AS "lng", COUNT(*) OVER () AS "total"
    FROM (SELECT "locationLat", "locationLng" FROM "points"
      WHERE "deviceId" = ? AND "timestamp" >= ? AND "timestamp" <= ? AND "locationLat" IS NOT NULL AND "judged" IS NULL
      ORDER BY "timestamp" DESC LIMIT ${MOST_HEAT_POSITIONS + 1}) q) p
  WHERE p."lat" BETWEEN ? AND ? AND p."lng" BETWEEN ? AND ?
  GROUP BY 1, 2`;

interface CountedCell {
  readonly y: number;
  readonly x: number;
  readonly count: number;
}

/** The same for a device with packed positions, which are counted here. */
async function packedCells(
  { query }: Workplace<Tables>,
  deviceId: number,
  { from, to, west, south, east, north, cell }: HeatWanted,
): Promise<{ readonly cells: Iterable<CountedCell>; readonly total: number }> {
  const columns = ['locationLat', 'locationLng'] as const;
  const wanted = { deviceId, from, to, columns, kind: 'unmarked', isNewestFirst: true } as const;
  const found = await positions(query, { ...wanted, limit: MOST_HEAT_POSITIONS + 1 });
  const cells = new Map<string, { y: number; x: number; count: number }>();
  for (const { locationLat, locationLng } of found) {
    const [lat, lng] = [locationLat!, locationLng!];
    if (lat < south || lat > north || lng < west || lng > east) continue;
    const [y, x] = [awayFromZero(lat / cell), awayFromZero(lng / cell)];
    const known = cells.get(`${y} ${x}`);
    if (known) known.count += 1;
    else cells.set(`${y} ${x}`, { y, x, count: 1 });
  }
  return { cells: cells.values(), total: found.length };
}

/** Rounds like the database engines. */
const awayFromZero = (value: number) => Math.sign(value) * Math.round(Math.abs(value)) + 0;

/** The cells where devices were, counted per device on a separate thread. */
export const heatMap = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, wanted: HeatWanted): Promise<Heat> => {
    const { scope, from, to, west, south, east, north, cell } = wanted;
    const sql = `SELECT "id" FROM "devices" WHERE ${scope.sql} ORDER BY "lastConnection" DESC, "id" LIMIT ${MOST_HEAT_DEVICES + 1}`;
    // The SQL text depends on the limits of a token.
    const devices = await workplace.prepare<{ id: number }>(`heat.${fingerprint(sql)}`, sql).all(...scope.cells);
    const cells = workplace.prepare<Record<'x' | 'y' | 'count' | 'total', number | string>>('heat.cells', CELLS);
    const counts = new Map<string, { y: number; x: number; count: number }>();
    const add = (y: number, x: number, count: number) => {
      const known = counts.get(`${y} ${x}`);
      if (known) known.count += count;
      else counts.set(`${y} ${x}`, { y, x, count });
    };
    let isComplete = devices.length <= MOST_HEAT_DEVICES;
    for (const { id } of devices.slice(0, MOST_HEAT_DEVICES)) {
      if (await hasSegments(workplace.query, id, { from, to })) {
        const packed = await packedCells(workplace, id, wanted);
        for (const { y, x, count } of packed.cells) add(y, x, count);
        if (packed.total > MOST_HEAT_POSITIONS) isComplete = false;
        continue;
      }
      for (const row of await cells.all(cell, cell, id, from, to, south, north, west, east)) {
        add(Number(row.y), Number(row.x), Number(row.count));
        if (Number(row.total) > MOST_HEAT_POSITIONS) isComplete = false;
      }
    }
    const sorted = [...counts.values()].sort(
      (one, other) => other.count - one.count || one.y - other.y || one.x - other.x,
    );
    return {
      cells: sorted.slice(0, MOST_HEAT_CELLS).map(({ y, x, count }) => ({ lat: y * cell, lng: x * cell, count })),
      isComplete: isComplete && sorted.length <= MOST_HEAT_CELLS,
    };
  },
);
