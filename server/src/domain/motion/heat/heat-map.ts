import {
  MOST_HEAT_CELLS,
  MOST_HEAT_DEVICES,
  MOST_HEAT_POSITIONS,
} from '@trackway/contract/resources/fleet-tools/heat-map.ts';
import type { Scope } from '../../../platform/collection.ts';
import { fingerprint } from '../../../platform/secrets.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import type { Tables } from '../../schema/tables.ts';

export interface HeatWanted {
  /** The devices that count. */
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

/** Where devices were, counted device by device on a thread apart. */
export const heatMap = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, wanted: HeatWanted): Promise<Heat> => {
    const { scope, from, to, west, south, east, north, cell } = wanted;
    const sql = `SELECT "id" FROM "devices" WHERE ${scope.sql} ORDER BY "lastConnection" DESC, "id" LIMIT ${MOST_HEAT_DEVICES + 1}`;
    // The text differs by what a token is limited to.
    const devices = await workplace.prepare<{ id: number }>(`heat.${fingerprint(sql)}`, sql).all(...scope.cells);
    const cells = workplace.prepare<Record<'x' | 'y' | 'count' | 'total', number | string>>('heat.cells', CELLS);
    const counts = new Map<string, { y: number; x: number; count: number }>();
    let isComplete = devices.length <= MOST_HEAT_DEVICES;
    for (const { id } of devices.slice(0, MOST_HEAT_DEVICES)) {
      for (const row of await cells.all(cell, cell, id, from, to, south, north, west, east)) {
        const [y, x] = [Number(row.y), Number(row.x)];
        const known = counts.get(`${y} ${x}`);
        if (known) known.count += Number(row.count);
        else counts.set(`${y} ${x}`, { y, x, count: Number(row.count) });
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
