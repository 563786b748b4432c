import type { Kysely } from 'kysely';
import type { Engine } from '../../platform/storage/database.ts';
import { type ManyRows, runMany } from '../../platform/storage/insert-many.ts';
import type { Tables } from '../schema/tables.ts';
import type { AppendedPoint } from './append.ts';

/** A device that spoke, and the points that it brought. */
export interface Heard {
  readonly deviceId: number;
  readonly points: readonly AppendedPoint[];
}

/** The types must be said: PostgreSQL would take the values for texts. */
const HEARD: ManyRows = {
  row: `(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS DOUBLE PRECISION), CAST(? AS DOUBLE PRECISION), CAST(? AS BIGINT))`,
  text: (rows) => `UPDATE "devices" SET
    "firstSeen" = CASE WHEN "lastConnection" IS NULL THEN said."column2" ELSE "firstSeen" END,
    "lastConnection" = said."column2",
    "batteryPct" = COALESCE(said."column3", "batteryPct"),
    "batteryVoltage" = COALESCE(said."column4", "batteryVoltage"),
    "currentMode" = COALESCE(said."column5", "currentMode")
    FROM (VALUES ${rows}) AS said WHERE "devices"."id" = said."column1"`,
};

/** Devices show when they were last heard, and what they last said of themselves. */
export async function noteHeard(
  tx: Kysely<Tables>,
  engine: Engine,
  heard: readonly Heard[],
  now: number,
): Promise<void> {
  const rows = heard.map(({ deviceId, points }) => {
    const last = latest(points);
    return [deviceId, now, last?.batteryPct ?? null, last?.batteryVoltage ?? null, last?.mode ?? null];
  });
  await runMany(tx, engine, HEARD, rows);
}

/** Of equals the one that came last. */
export function latest<Timed extends { readonly timestamp: number }>(items: readonly Timed[]): Timed | undefined {
  let last: Timed | undefined;
  for (const item of items) if (last === undefined || item.timestamp >= last.timestamp) last = item;
  return last;
}
