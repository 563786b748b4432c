import { type RowBatch, updateOf } from '../../../platform/storage/bulk.ts';
import type { AppendedPoint } from './append-rows.ts';

/** A device that spoke, and the points that it brought. */
export interface ReportingDevice {
  readonly deviceId: number;
  readonly points: readonly AppendedPoint[];
}

const HEARD = updateOf(
  'devices',
  {
    lastConnection: 'time',
    batteryPct: 'number',
    batteryVoltage: 'number',
    currentMode: 'integer',
    firstSeen: 'time',
    id: 'integer',
  },
  {
    batteryPct: 'COALESCE({new}, "devices"."batteryPct")',
    batteryVoltage: 'COALESCE({new}, "devices"."batteryVoltage")',
    currentMode: 'COALESCE({new}, "devices"."currentMode")',
    // The row as it was: before the first report there was no connection.
    firstSeen: 'CASE WHEN "devices"."lastConnection" IS NULL THEN {new} ELSE "devices"."firstSeen" END',
  },
);

/** What makes devices show when they were last heard, and what they last said of themselves. */
export function connectionUpdates(heard: readonly ReportingDevice[], now: number): RowBatch {
  const rows = heard.map(({ deviceId, points }) => {
    const last = latest(points);
    return [now, last?.batteryPct ?? null, last?.batteryVoltage ?? null, last?.mode ?? null, now, deviceId];
  });
  return [HEARD, rows];
}

/** Of equals the one that came last. */
export function latest<Timed extends { readonly timestamp: number }>(items: readonly Timed[]): Timed | undefined {
  let last: Timed | undefined;
  for (const item of items) if (last === undefined || item.timestamp >= last.timestamp) last = item;
  return last;
}
