import { FLEET_TRAIL_MINUTES, FLEET_TRAIL_STEP_S, trailPoint } from '@trackway/contract/resources/whereabouts.ts';
import type { Scope } from '../../../platform/collection.ts';
import { shapeOf } from '../../schema/shape.ts';

const TRAIL_MS = FLEET_TRAIL_MINUTES * 60_000;
const STEP_MS = FLEET_TRAIL_STEP_S * 1000;

/**
 * Where some devices have been in the last minutes: one position for each step of time, so that a device that reports
 * every second costs the reader no more than others.
 */
export function trailsSearch(scope: Scope, deviceIds: readonly number[], now: number) {
  // Numbers that were validated, so they can stand in the text.
  const ids = deviceIds.map(Number).join(', ');
  return {
    sql: `SELECT p."deviceId", p."locationLat", p."locationLng", p."timestamp" FROM "points" p WHERE p."id" IN (
  SELECT MAX(q."id") FROM "points" q
  WHERE q."deviceId" IN (SELECT "id" FROM "devices" WHERE (${scope.sql}) AND "id" IN (${ids}))
    AND q."timestamp" > ? AND q."timestamp" <= ? AND q."locationLat" IS NOT NULL AND q."judged" IS NULL
  GROUP BY q."deviceId", q."timestamp" / ${STEP_MS})
ORDER BY p."deviceId", p."timestamp", p."id"`,
    cells: [...scope.cells, now - TRAIL_MS, now],
    shape: shapeOf(trailPoint),
  };
}
