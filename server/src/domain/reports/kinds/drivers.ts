import { driverScore, HARSH_ALARMS } from '@trackway/contract/wording/driver-score.ts';
import { overReadings } from '../../positions/over-readings.ts';
import { drivenBy, shiftReader } from '../../vehicles/read-shifts.ts';
import { emptyRow, type ReportKind } from '../report-row.ts';
import { speeding as speedingRows } from './speeding.ts';
import { drivenTrips } from './trips.ts';

const ALARM = ['alarm'] as const;

/** How each driver drove a device: trips, harsh events, speeding and idling, with the score. */
export const drivers: ReportKind = async (workplace, wanted) => {
  const { from, to, now } = wanted;
  const tripsOf = drivenTrips(workplace, wanted, { withCurrent: true });
  const speedingOf = await speedingRows(workplace, wanted);
  const shiftsOf = shiftReader(workplace);
  const alarmsOf = (deviceId: number) =>
    overReadings<{ at: number; value: string }>(
      workplace.query,
      { scope: { deviceId }, span: { from, to }, types: ALARM },
      (source) => ({
        sql: `SELECT "timestamp" AS "at", "value" FROM ${source} s WHERE "deviceId" = ? AND "type" = 'alarm' AND "timestamp" >= ? AND "timestamp" < ? ORDER BY "timestamp"`,
        cells: [deviceId, from, to],
      }),
    );
  return async (device) => {
    const driven = Map.groupBy(await tripsOf(device), ({ driverId }) => driverId ?? null);
    driven.delete(null);
    if (driven.size === 0) return [];
    const shifts = await shiftsOf(device.id, from, to, now);
    const driverAt = (start: number, end = start) => drivenBy(shifts, start, end).driverId;
    const harsh = new Map<number | null, number>();
    for (const { at, value } of await alarmsOf(device.id))
      if (HARSH_ALARMS.includes(JSON.parse(value))) harsh.set(driverAt(at), (harsh.get(driverAt(at)) ?? 0) + 1);
    const tooFast = new Map<number | null, number>();
    for (const { start, end, duration } of await speedingOf(device))
      tooFast.set(driverAt(start!, end!), (tooFast.get(driverAt(start!, end!)) ?? 0) + duration!);
    return [...driven].map(([driverId, trips]) => {
      const sum = (name: 'distance' | 'duration' | 'idle') => trips.reduce((total, trip) => total + trip[name]!, 0);
      const row = {
        ...emptyRow(device),
        ...{ driverId, driver: trips[0]!.driver ?? null, trips: trips.length },
        ...{ start: trips[0]!.start, end: Math.max(...trips.map(({ end }) => end!)) },
        ...{ distance: sum('distance'), duration: sum('duration'), idle: sum('idle') },
        ...{ harsh: harsh.get(driverId) ?? 0, speeding: tooFast.get(driverId) ?? 0 },
      };
      const { distance: distanceM, harsh: events, speeding: speedingS, idle: idleS } = row;
      return { ...row, score: driverScore({ distanceM, harsh: events, speedingS, idleS }) ?? null };
    });
  };
};
