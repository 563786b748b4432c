import type { Kysely } from 'kysely';
import { type RowsStatement, runRows } from '../../../platform/storage/bulk.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Tables } from '../../schema/tables.ts';
import { hearingText } from '../../stored-readings/hearing.ts';
import { overReadings } from '../../stored-readings/over-readings.ts';
import { HEARD_MS } from '../judge/heard-place.ts';

/**
 * Notes which minutes of a tag are to be looked at, in the transaction that gives the reason: gateways heard it, or
 * something changed that says where it was by them.
 */

type Tx = Kysely<Tables>;

export const MINUTE_MS = 60_000;
export const minuteOf = (at: number) => Math.floor(at / MINUTE_MS);

/** So long other gateways have to report what they heard of the same transmission. */
export const SETTLE_MS = 3000;
/** At most one position of a tag in this time. */
export const PLACE_EVERY_MS = 15_000;
/** A gateway that moves was where it said, for so long. */
export const FRESH_MS = 600_000;

/** A tag was heard at a time, or something else changed that says where it was from then on. */
export interface TouchedPlace {
  readonly deviceId: number;
  readonly at: number;
  /** When to look at it, by the server's clock. */
  readonly dueAt: number;
}

const COLUMNS = { deviceId: 'integer', minute: 'integer', since: 'time', dueAt: 'time' } as const;
const START = 'INSERT INTO "placesDue" ("deviceId", "minute", "since", "dueAt")';
const sooner = (least: string) =>
  `ON CONFLICT ("deviceId", "minute") DO UPDATE SET "since" = ${least}("placesDue"."since", excluded."since"),
    "dueAt" = ${least}("placesDue"."dueAt", excluded."dueAt")`;
/** Also locks a row that is there: whoever is about to take it away waits, and sees what is written here. */
const NOTE: RowsStatement = {
  columns: COLUMNS,
  sqlite: `${START} VALUES (?, ?, ?, ?) ${sooner('MIN')}`,
  postgres: `${START} SELECT "deviceId", "minute", "since", "dueAt" FROM given ${sooner('LEAST')}`,
};

export async function notePlaces(tx: Tx, storeKind: StoreKind, touched: readonly TouchedPlace[]): Promise<void> {
  const minutes = new Map<string, { deviceId: number; minute: number; since: number; dueAt: number }>();
  for (const { deviceId, at, dueAt } of touched) {
    const minute = minuteOf(at);
    const key = `${deviceId} ${minute}`;
    const other = minutes.get(key) ?? { deviceId, minute, since: at, dueAt };
    minutes.set(key, { ...other, since: Math.min(other.since, at), dueAt: Math.min(other.dueAt, dueAt) });
  }
  // In one order, so that transactions never wait for each other in a circle.
  const rows = [...minutes.values()].sort((a, b) => a.deviceId - b.deviceId || a.minute - b.minute);
  await runRows(
    tx,
    storeKind,
    NOTE,
    rows.map(({ deviceId, minute, since, dueAt }) => [deviceId, minute, since, dueAt]),
  );
}

/** When to look at what was heard at a time: soon, but not more often than positions are made. */
export function placeDueAt(at: number, now: number, placedUntil: number | null): number {
  const waits = placedUntil === null ? 0 : placedUntil + PLACE_EVERY_MS - at;
  return now + Math.min(Math.max(SETTLE_MS, waits), PLACE_EVERY_MS);
}

/** At most so many minutes are noted for one change of where a gateway was. */
const MOST_OF_GATEWAY = 2000;

/** What a gateway heard while it was where it now says it was. */
export async function heardByGateway(
  tx: Tx,
  storeKind: StoreKind,
  gatewayId: number,
  { from, to, dueAt }: { readonly from: number; readonly to: number; readonly dueAt: number },
): Promise<TouchedPlace[]> {
  const minute = `(r."timestamp" - r."timestamp" % ${MINUTE_MS})`;
  const statement = (source: string) => `SELECT r."deviceId" AS "deviceId", MIN(r."timestamp") AS "at" FROM ${source} r
    WHERE r."gatewayId" = ? AND r."timestamp" >= ? AND r."timestamp" <= ? AND r."deviceId" IS NOT NULL AND ${hearingText('r')}
    GROUP BY r."deviceId", ${minute} LIMIT ${MOST_OF_GATEWAY}`;
  const span = { from: from - HEARD_MS, to: to + FRESH_MS };
  const rows = await overReadings<{ deviceId: number; at: number }>(
    { query: tx, storeKind },
    { scope: { gatewayId }, span },
    (source) => ({ sql: statement(source), cells: [gatewayId, span.from, span.to] }),
  );
  return rows.map(({ deviceId, at }) => ({ deviceId, at, dueAt }));
}

/** A position of a device was stored, changed or deleted by hand: of a tag, or of a gateway that heard tags. */
export async function placesTouched(tx: Tx, storeKind: StoreKind, deviceId: number, at: number): Promise<void> {
  const own = [at, at + HEARD_MS].map((time) => ({ deviceId, at: time, dueAt: 0 }));
  const asGateway = await heardByGateway(tx, storeKind, deviceId, { from: at, to: at, dueAt: 0 });
  await notePlaces(tx, storeKind, [...own, ...asGateway]);
}
