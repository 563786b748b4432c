import { driverScore } from '@trackway/contract/wording/driver-score.ts';
import type { FleetReportRow } from '../../api/reports/reports.ts';

/** What a driver did in the time of a report, with all devices. */
export interface Driving {
  readonly seconds: number;
  readonly score: number | undefined;
  readonly lastEnd: string | null;
  readonly lastDeviceId: number;
  readonly lastDeviceName: string | null;
}

type DriverRow = Pick<
  FleetReportRow,
  'driverId' | 'deviceId' | 'name' | 'end' | 'duration' | 'distance' | 'harsh' | 'speeding' | 'idle'
>;

/** By the id of the driver, from a report on drivers. */
export function drivingOf(rows: readonly DriverRow[]): ReadonlyMap<number, Driving> {
  const all = new Map<number, Driving>();
  for (const [driverId, driven] of Map.groupBy(rows, (row) => row.driverId)) {
    if (driverId == null) continue;
    const last = driven.reduce((one, other) => (Date.parse(other.end!) > Date.parse(one.end!) ? other : one));
    const sum = (field: 'duration' | 'distance' | 'harsh' | 'speeding' | 'idle') =>
      driven.reduce((total, row) => total + (row[field] ?? 0), 0);
    all.set(driverId, {
      seconds: sum('duration'),
      score: driverScore({
        ...{ distanceM: sum('distance'), harsh: sum('harsh'), speedingS: sum('speeding'), idleS: sum('idle') },
      }),
      ...{ lastEnd: last.end, lastDeviceId: last.deviceId, lastDeviceName: last.name },
    });
  }
  return all;
}
