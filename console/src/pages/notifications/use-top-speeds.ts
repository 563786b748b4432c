import { MOST_REPORT_DAYS } from '@trackway/contract/resources/fleet-report.ts';
import type { Notification } from '../../api/notifications.ts';
import { useFleetReport } from '../../api/reports/reports.ts';

const DAY_MS = 86_400_000;
/** How much of a speeding event around its notification is looked at. */
const BEFORE_MS = 300_000;
const AFTER_MS = 1_800_000;

/** The highest speed of each speeding event in km/h, by the id of its notification. */
export function useTopSpeeds(rows: readonly Notification[]): ReadonlyMap<number, number> {
  const speeding = rows.filter(({ params }) => params.type === 'speed');
  const times = speeding.map(({ timestamp }) => Date.parse(timestamp));
  const last = Math.max(...times);
  const first = Math.max(Math.min(...times), last - (MOST_REPORT_DAYS - 1) * DAY_MS);
  const isAny = speeding.length > 0;
  const iso = (at: number) => new Date(isAny ? at : 0).toISOString();
  const deviceIds = [...new Set(speeding.map(({ deviceId }) => deviceId))].sort((a, b) => a - b);
  const report = useFleetReport(
    { kind: 'speeding', deviceIds, from: iso(first - BEFORE_MS), to: iso(last + AFTER_MS) },
    { enabled: isAny, keepsPrevious: true },
  );
  const tops = new Map<number, number>();
  for (const { id, deviceId, timestamp } of speeding) {
    const event = report.data?.rows.find(
      (row) => row.deviceId === deviceId && row.start! <= timestamp && timestamp <= row.end!,
    );
    if (event?.maxSpeed != null) tops.set(id, event.maxSpeed);
  }
  return tops;
}
