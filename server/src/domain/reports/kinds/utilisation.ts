import { type Leg, legsOf, vehicleStateOf } from '../../motion/activity.ts';
import { daysIn } from '../../motion/days.ts';
import { readTrack } from '../../tracking/api/vehicle-track.ts';
import { emptyRow, type FleetReportRow, type ReportKind } from '../report-row.ts';

/** The share of each day that a device was in use, including days without use. */
export const utilisation: ReportKind = (workplace, { from, to, tz, now }) => {
  const end = Math.min(to, now);
  const days = daysBetween(from, end, tz);
  const cuts = days.slice(1).map((day) => day.from);
  return async (device) => {
    const asked = { deviceId: device.id, from, to, now };
    const track = await readTrack(workplace, asked, { needsAllTracks: false, cuts });
    const legs = track === undefined ? [] : legsOf(track, cuts);
    let next = 0;
    return days.map((day) => {
      const first = next;
      while (next < legs.length && legs[next]!.start < day.to) next++;
      return { ...emptyRow(device), day: day.day, ...sumsOf(legs.slice(first, next), day.to - day.from) };
    });
  };
};

function sumsOf(legs: readonly Leg[], dayMs: number): Partial<FleetReportRow> {
  let [drivingMs, idleMs, standingMs, distance] = [0, 0, 0, 0];
  let ignitionMs: number | undefined;
  for (const leg of legs) {
    const ms = leg.end - leg.start;
    const state = vehicleStateOf(leg);
    if (state === 'off') standingMs += ms;
    else if (state === 'idle') idleMs += ms;
    else drivingMs += ms;
    distance += leg.distanceM;
    if (leg.ignition !== undefined) ignitionMs = (ignitionMs ?? 0) + (leg.ignition ? ms : 0);
  }
  return {
    duration: dayMs / 1000,
    distance,
    driving: drivingMs / 1000,
    idle: idleMs / 1000,
    standing: standingMs / 1000,
    ignition: ignitionMs === undefined ? null : ignitionMs / 1000,
    share: dayMs > 0 ? drivingMs / dayMs : 0,
  };
}

function daysBetween(from: number, to: number, tz: string) {
  const dayAt = daysIn(tz);
  const days: { day: string; from: number; to: number }[] = [];
  for (let start = from; start < to; ) {
    const { day, end } = dayAt(start);
    days.push({ day, from: start, to: Math.min(end, to) });
    start = end;
  }
  return days;
}
