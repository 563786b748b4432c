import type { Kysely } from 'kysely';
import { givenValues, insertAtHome, type RowsStatement, runRows } from '../../../platform/storage/bulk.ts';
import { overReadings } from '../../positions/over-readings.ts';
import { sightingText } from '../../positions/stored-reading.ts';
import type { Tables } from '../../schema/tables.ts';
import { SIGHTING_MS } from '../evaluate/sighted-place.ts';

/**
 * Records the minutes of a tag to check, in the transaction that is the reason: gateways received the tag, or something
 * changed that affects its place.
 */

type Tx = Kysely<Tables>;

export const MINUTE_MS = 60_000;
export const minuteOf = (at: number) => Math.floor(at / MINUTE_MS);

/** Time for other gateways to report the same transmission. */
export const SETTLE_MS = 3000;
/** At most one position of a tag in this time. */
export const PLACE_EVERY_MS = 15_000;
/** A gateway that moves was where it said, for so long. */
export const FRESH_MS = 600_000;

/** A tag was received at a time, or something else changed that affects its place from then on. */
export interface TouchedPlace {
  readonly deviceId: number;
  readonly at: number;
  /** When to look at it, by the server's clock. */
  readonly dueAt: number;
}

const COLUMNS = { deviceId: 'integer', minute: 'integer', changesFrom: 'time', dueAt: 'time' } as const;
const START = 'INSERT INTO "placeQueue" ("deviceId", "minute", "changesFrom", "dueAt")';
const sooner = (least: string) =>
  `ON CONFLICT ("deviceId", "minute") DO UPDATE SET "changesFrom" = ${least}("placeQueue"."changesFrom", excluded."changesFrom"),
    "dueAt" = ${least}("placeQueue"."dueAt", excluded."dueAt")`;
/** Also locks an existing row: a transaction that deletes it waits, and sees what is written here. */
export const NOTE: RowsStatement = {
  columns: COLUMNS,
  sqlite: `${START} VALUES (?, ?, ?, ?) ${sooner('MIN')}`,
  postgres: `${START} SELECT "deviceId", "minute", "changesFrom", "dueAt" FROM given ${sooner('LEAST')}`,
  spread: insertAtHome('placeQueue', COLUMNS, givenValues(COLUMNS), { end: sooner('LEAST') }),
};

export async function notePlaces(tx: Tx, touched: readonly TouchedPlace[]): Promise<void> {
  const minutes = new Map<string, { deviceId: number; minute: number; changesFrom: number; dueAt: number }>();
  for (const { deviceId, at, dueAt } of touched) {
    const minute = minuteOf(at);
    const key = `${deviceId} ${minute}`;
    const other = minutes.get(key) ?? { deviceId, minute, changesFrom: at, dueAt };
    minutes.set(key, { ...other, changesFrom: Math.min(other.changesFrom, at), dueAt: Math.min(other.dueAt, dueAt) });
  }
  // In one order, so that transactions never wait for each other in a circle.
  const rows = [...minutes.values()].sort((a, b) => a.deviceId - b.deviceId || a.minute - b.minute);
  await runRows(
    tx,
    NOTE,
    rows.map(({ deviceId, minute, changesFrom, dueAt }) => [deviceId, minute, changesFrom, dueAt]),
  );
}

/** When to check the sightings of a time: soon, but not more often than positions are created. */
export function placeDueAt(at: number, now: number, placedUntil: number | null): number {
  const waits = placedUntil === null ? 0 : placedUntil + PLACE_EVERY_MS - at;
  return now + Math.min(Math.max(SETTLE_MS, waits), PLACE_EVERY_MS);
}

/** At most so many minutes are noted for one change of where a gateway was. */
const MOST_OF_GATEWAY = 2000;

/** The sightings of a gateway in a range of time where its place has changed. */
export async function sightedByGateway(
  tx: Tx,
  gatewayId: number,
  { from, to, dueAt }: { readonly from: number; readonly to: number; readonly dueAt: number },
): Promise<TouchedPlace[]> {
  const minute = `(r."timestamp" - r."timestamp" % ${MINUTE_MS})`;
  const statement = (source: string) => `SELECT r."deviceId" AS "deviceId", MIN(r."timestamp") AS "at" FROM ${source} r
    WHERE r."gatewayId" = ? AND r."timestamp" >= ? AND r."timestamp" <= ? AND r."deviceId" IS NOT NULL AND ${sightingText('r')}
    GROUP BY r."deviceId", ${minute} LIMIT ${MOST_OF_GATEWAY}`;
  const span = { from: from - SIGHTING_MS, to: to + FRESH_MS };
  const rows = await overReadings<{ deviceId: number; at: number }>(tx, { scope: { gatewayId }, span }, (source) => ({
    sql: statement(source),
    cells: [gatewayId, span.from, span.to],
  }));
  return rows.map(({ deviceId, at }) => ({ deviceId, at, dueAt }));
}

/** A position of a device was stored, changed or deleted by hand: of a tag, or of a gateway with sightings. */
export async function placesTouched(tx: Tx, deviceId: number, at: number): Promise<void> {
  const own = [at, at + SIGHTING_MS].map((time) => ({ deviceId, at: time, dueAt: 0 }));
  const asGateway = await sightedByGateway(tx, deviceId, { from: at, to: at, dueAt: 0 });
  await notePlaces(tx, [...own, ...asGateway]);
}
