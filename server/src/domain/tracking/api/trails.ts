import { FLEET_TRAIL_MINUTES, FLEET_TRAIL_STEP_S, trailPoint } from '@trackway/contract/resources/whereabouts.ts';
import type { Scope } from '../../../platform/collection.ts';
import { shapeOf } from '../../schema/shape.ts';

const TRAIL_MS = FLEET_TRAIL_MINUTES * 60_000;
const STEP_MS = FLEET_TRAIL_STEP_S * 1000;

/**
 * Where some devices have been in a range of time: one position for each step, so that a device that reports every second
 * costs the reader no more than others. The cells after those of the scope are the beginning and the end.
 */
export const trailsSql = (scope: Scope, stepMs: number) =>
  `SELECT p."deviceId", p."locationLat", p."locationLng", p."timestamp" FROM "points" p WHERE p."id" IN (
  SELECT MAX(q."id") FROM "points" q
  WHERE q."deviceId" IN (SELECT d."id" FROM "devices" d WHERE ${scope.sql})
    AND q."timestamp" > ? AND q."timestamp" <= ? AND q."locationLat" IS NOT NULL AND q."judged" IS NULL
  GROUP BY q."deviceId", q."timestamp" / ${stepMs})
ORDER BY p."deviceId", p."timestamp", p."id"`;

/** The trails of some devices on the map. */
export function trailsSearch({ sql, cells }: Scope, deviceIds: readonly number[], now: number) {
  // Numbers that were validated, so they can stand in the text.
  const scope = { sql: `(${sql}) AND d."id" IN (${deviceIds.map(Number).join(', ')})`, cells };
  return {
    sql: trailsSql(scope, STEP_MS),
    cells: [...cells, now - TRAIL_MS, now],
    shape: shapeOf(trailPoint),
  };
}
