import { type RowBatch, updateOf } from '../../../platform/storage/bulk.ts';
import type { AppendedPosition } from '../report/position.ts';

/** A device that reported, and its positions. */
interface ReportingDevice {
  readonly deviceId: number;
  readonly points: readonly AppendedPosition[];
}

export const UPDATE = updateOf(
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
  { by: 'id' },
);

/** Sets when devices last reported, and their battery and mode. */
export function connectionUpdates(reporting: readonly ReportingDevice[], now: number): RowBatch {
  const rows = reporting.map(({ deviceId, points }) => {
    const last = latest(points);
    return [now, last?.batteryPct ?? null, last?.batteryVoltage ?? null, last?.mode ?? null, now, deviceId];
  });
  return [UPDATE, rows];
}

/** Of equals the one that came last. */
export function latest<Timed extends { readonly timestamp: number }>(items: readonly Timed[]): Timed | undefined {
  let last: Timed | undefined;
  for (const item of items) if (last === undefined || item.timestamp >= last.timestamp) last = item;
  return last;
}
