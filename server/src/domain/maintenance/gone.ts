import type { Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';

/** What a device did since a moment. */
export interface Gone {
  readonly distanceM: number;
  /** Time on trips. */
  readonly drivingMs: number;
  /** Time with the ignition on; null where it was never known. */
  readonly engineMs: number | null;
}

/** No trip lasts longer, so one that begins earlier cannot reach the moment. */
const LONGEST_MS = 60 * 86_400_000;

/** A trip that spans the moment counts with the share that lies after it. */
const TRIPS = `SELECT
  SUM(CASE WHEN "start" >= ? THEN "distance" ELSE "distance" * (("end" - ?) * 1.0 / ("end" - "start")) END) AS "distanceM",
  SUM(CASE WHEN "start" >= ? THEN "end" - "start" ELSE "end" - ? END) AS "drivingMs"
  FROM "trips" WHERE "deviceId" = ? AND "start" >= ? AND "end" > ?`;

/** From the last change before the moment on. What is on counts until something was last heard. */
const IGNITION = `SELECT
  SUM(CASE WHEN c."isOn" = 1 AND COALESCE(c."next", c."until") > ? THEN
    COALESCE(c."next", c."until") - (CASE WHEN c."at" < ? THEN ? ELSE c."at" END) ELSE 0 END) AS "engineMs"
  FROM (SELECT i."at", i."isOn", LEAD(i."at") OVER (ORDER BY i."at", i."id") AS "next",
    COALESCE(s."heardAt", i."at") AS "until"
    FROM "ignitionChanges" i JOIN "deviceStates" s ON s."deviceId" = i."deviceId"
    WHERE i."deviceId" = ? AND i."at" >= COALESCE(
      (SELECT MAX(b."at") FROM "ignitionChanges" b WHERE b."deviceId" = ? AND b."at" <= ?), 0)) c`;

/** Each number may come as a text: sums of PostgreSQL are wider than its columns. */
type Sum = number | string | null;

export function goneSince(workplace: Pick<Workplace<Tables>, 'prepare'>) {
  const trips = workplace.prepare<{ distanceM: Sum; drivingMs: Sum }>('maintenance.trips', TRIPS);
  const ignition = workplace.prepare<{ engineMs: Sum }>('maintenance.ignition', IGNITION);
  return async (deviceId: number, since: number): Promise<Gone> => {
    const driven = await trips.get(since, since, since, since, deviceId, since - LONGEST_MS, since);
    const running = await ignition.get(since, since, since, deviceId, deviceId, since);
    const engine = running?.engineMs ?? null;
    return {
      distanceM: Number(driven?.distanceM ?? 0),
      drivingMs: Number(driven?.drivingMs ?? 0),
      engineMs: engine === null ? null : Number(engine),
    };
  };
}
