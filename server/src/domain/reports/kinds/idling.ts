import { LEAST_IDLING_MINUTES } from '@trackway/contract/resources/fleet-report.ts';
import { legsOf, vehicleStateOf } from '../../motion/activity.ts';
import { readTrack } from '../../tracking/api/vehicle-track.ts';
import { emptyRow, type FleetReportRow, type ReportKind } from '../report-row.ts';

/** Times of a vehicle with the engine on and without movement. */
export const idling: ReportKind = (workplace, { from, to, now }) => {
  return async (device) => {
    const track = await readTrack(workplace, { deviceId: device.id, from, to, now }, { needsAllTracks: true });
    const rows: (FleetReportRow & { start: number; end: number })[] = [];
    for (const leg of track === undefined ? [] : legsOf(track)) {
      if (vehicleStateOf(leg) !== 'idle') continue;
      const last = rows.at(-1);
      if (last?.end === leg.start) last.end = leg.end;
      else rows.push({ ...emptyRow(device), start: leg.start, end: leg.end, startLocation: leg.from });
    }
    return rows
      .map((row) => ({ ...row, duration: (row.end - row.start) / 1000 }))
      .filter(({ duration }) => duration >= LEAST_IDLING_MINUTES * 60);
  };
};
