import { speedingOf } from '../../motion/speeding.ts';
import { tripsWithFixes } from '../../tracking/api/vehicle-track.ts';
import { emptyRow, type ReportKind } from '../report-row.ts';

/** Times above a speed. Positions are read only of trips that were faster. */
export const speeding: ReportKind = (workplace, { userId, limitKmh, from, to, now }) => {
  const limits = workplace.prepare<{ parameters: string | null }>(
    'fleetReport.limits',
    `SELECT "parameters" FROM "notificationTriggers" WHERE "deviceId" = ? AND "userId" = ? AND "type" = 'speed'`,
  );
  const limitOf = async (deviceId: number): Promise<number | undefined> => {
    if (limitKmh !== undefined) return limitKmh;
    const given = (await limits.all(deviceId, userId)).map(
      ({ parameters }) => (JSON.parse(parameters ?? '{}') as { limit?: unknown }).limit,
    );
    const known = given.map(Number).filter((limit) => limit > 0);
    return known.length === 0 ? undefined : Math.min(...known);
  };
  const fasterTrips = tripsWithFixes(workplace);
  return async (device) => {
    const limit = await limitOf(device.id);
    if (limit === undefined) return [];
    const range = { from, to: Math.min(to, now) };
    const trips = await fasterTrips({ deviceId: device.id, ...range, now }, limit);
    return trips.flatMap(({ track, end }) =>
      speedingOf(track, end, range, limit).map((span) => ({
        ...emptyRow(device),
        start: span.from,
        end: span.to,
        duration: (span.to - span.from) / 1000,
        maxSpeed: span.fastestKmh,
        startLocation: span.place,
        limit,
      })),
    );
  };
};
