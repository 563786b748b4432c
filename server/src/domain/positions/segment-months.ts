import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../../platform/storage/dialect.ts';
import type { Store, Tables } from '../schema/tables.ts';

/**
 * On PostgreSQL the table of segments is partitioned by the month (UTC) of the first position. Expired months are
 * dropped. One partition contains everything older than all months; it is emptied but never dropped. A default
 * partition contains months that were not created, so that no row is rejected.
 */

type Tx = Kysely<Tables>;

const BEFORE = 'positionSegments_before';
const DEFAULT_PART = 'positionSegments_rest';
const ASIDE = 'segmentsAside';
/** Months that are made before their time. */
const AHEAD = 2;
/** So that a clock that is wrong does not make thousands of them. */
const MOST_MONTHS = 24;
const MOST_MOVED_MONTHS = 120;
/** Shorter than PostgreSQL takes to see that two wait for each other, so that it is this one that gives way. */
const LOCK_MS = 500;
/** Keeps two servers from changing the parts at once; no other advisory lock in this database has this number. */
const PARTS_LOCK = 7_223_119_484;

const COLUMNS = [
  ...['id', 'deviceId', 'firstAt', 'lastAt', 'count', 'lowId', 'highId', 'firstReceivedAt', 'lastReceivedAt'],
  ...['south', 'west', 'north', 'east', 'data'],
];
const columns = (of = '') => COLUMNS.map((name) => `${of}"${name}"`).join(', ');

/** A part of the table: a month, or all that is before the first of them. */
export interface SegmentPart {
  readonly name: string;
  /** Positions of this time and later ones are not in it. */
  readonly end: number;
  readonly isMonth: boolean;
}

/** The start of the month of a moment (UTC), or of one so many months later. */
export function startOfMonth(at: number, later = 0): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}

const PARTS = `SELECT relname AS "name", pg_get_expr(relpartbound, pg_class.oid) AS "bounds"
  FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = CAST('"positionSegments"' AS regclass)`;

/** In the order of time, without the one for the rest; none on SQLite. */
export const segmentParts = async ({ query }: Pick<Store, 'query'>): Promise<readonly SegmentPart[]> =>
  dialectOf(query).hasPartitions ? partsOf(await run<FoundPart>(query, PARTS)) : [];

interface FoundPart {
  readonly name: string;
  readonly bounds: string;
}

const partsOf = (found: readonly FoundPart[]): SegmentPart[] =>
  found
    .flatMap(({ name, bounds }) => {
      const end = /TO \('?(-?\d+)'?\)/.exec(bounds)?.[1];
      return end === undefined ? [] : [{ name, end: Number(end), isMonth: name !== BEFORE }];
    })
    .sort((a, b) => a.end - b.end);

export const isPartEmpty = async (query: Tx, { name }: SegmentPart): Promise<boolean> =>
  (await run(query, `SELECT 1 FROM "${name}" LIMIT 1`)).length === 0;

/** Makes the parts of this month and the next ones, where they are missing. Mostly there is nothing to do. */
export async function makeMonths(store: Store, now: number): Promise<void> {
  const until = startOfMonth(now, AHEAD + 1);
  const isMissing = (parts: readonly SegmentPart[]) => parts.length > 0 && parts.at(-1)!.end < until;
  if (!isMissing(await segmentParts(store))) return;
  await changeParts(store, async (tx, parts) => {
    if (!isMissing(parts)) return;
    const from = Math.max(parts.at(-1)!.end, startOfMonth(now, -MOST_MONTHS));
    for (let month = from; month < until; month = startOfMonth(month, 1)) await makeMonth(tx, month);
  });
}

async function makeMonth(tx: Tx, month: number): Promise<void> {
  const rows = `"${DEFAULT_PART}" WHERE "firstAt" >= ${month} AND "firstAt" < ${startOfMonth(month, 1)}`;
  const isInDefaultPart = (await run(tx, `SELECT 1 FROM ${rows} LIMIT 1`)).length > 0;
  if (isInDefaultPart) {
    await setAside(tx, `SELECT ${columns()} FROM ${rows}`);
    await run(tx, `DELETE FROM ${rows}`);
  }
  await run(tx, monthText(month));
  if (isInDefaultPart) await putBack(tx);
}

function monthText(month: number): string {
  const name = `positionSegments_${new Date(month).toISOString().slice(0, 7).replace('-', '_')}`;
  return `CREATE TABLE "${name}" PARTITION OF "positionSegments" FOR VALUES FROM (${month}) TO (${startOfMonth(month, 1)})`;
}

/** The statements that move the end of the partition for older rows, which is empty. */
const reachTexts = (end: number) => [
  `ALTER TABLE "positionSegments" DETACH PARTITION "${BEFORE}"`,
  `ALTER TABLE "positionSegments" ATTACH PARTITION "${BEFORE}" FOR VALUES FROM (MINVALUE) TO (${end})`,
];

/** Creates months from a time on in a database without segments, before segments are moved there. */
export async function makeMonthsSince(
  client: { query(text: string): Promise<{ readonly rows: unknown[] }> },
  { oldest, now }: { readonly oldest: number; readonly now: number },
): Promise<void> {
  const [before] = partsOf((await client.query(PARTS)).rows as FoundPart[]);
  const from = Math.max(startOfMonth(oldest), startOfMonth(now, -MOST_MOVED_MONTHS));
  if (before === undefined || before.isMonth || before.end <= from) return;
  if ((await client.query('SELECT 1 FROM "positionSegments" LIMIT 1')).rows.length > 0) return;
  await client.query('BEGIN');
  for (const text of reachTexts(from)) await client.query(text);
  for (let month = from; month < before.end; month = startOfMonth(month, 1)) await client.query(monthText(month));
  await client.query('COMMIT');
}

/** Which segments stay, of the table `p`. */
export interface StayingSegments {
  readonly join: string;
  readonly where: string;
}

/**
 * Drops the parts that end until a time, but for what stays of them: it goes to the part of what is older, which from then
 * on reaches until that time. Within the transaction of `changeParts`.
 */
export async function dropParts(
  tx: Tx,
  parts: readonly SegmentPart[],
  { join, where }: StayingSegments,
): Promise<void> {
  const end = parts.at(-1)!.end;
  // Others can read meanwhile, until the parts go.
  await run(tx, 'LOCK TABLE ONLY "positionSegments" IN SHARE ROW EXCLUSIVE MODE');
  await setAside(
    tx,
    `SELECT ${columns('p.')} FROM "positionSegments" p ${join} WHERE p."firstAt" < ${end} AND (${where})`,
  );
  for (const { name, isMonth } of parts) await run(tx, isMonth ? `DROP TABLE "${name}"` : `TRUNCATE "${name}"`);
  for (const text of reachTexts(end)) await run(tx, text);
  await putBack(tx);
}

/** @param select of all columns */
const setAside = (tx: Tx, select: string) => run(tx, `CREATE TEMP TABLE "${ASIDE}" ON COMMIT DROP AS ${select}`);

async function putBack(tx: Tx): Promise<void> {
  await run(tx, `INSERT INTO "positionSegments" (${columns()}) SELECT ${columns()} FROM "${ASIDE}"`);
  await run(tx, `DROP TABLE "${ASIDE}"`);
}

/**
 * Changes the parts of the table, as the only server that does. It waits for others only briefly: otherwise it fails
 * and must be repeated later.
 * @returns false where another server does
 */
export const changeParts = (
  store: Store,
  change: (tx: Tx, parts: readonly SegmentPart[]) => Promise<void>,
): Promise<boolean> =>
  store.transaction(async (tx) => {
    await run(tx, `SET LOCAL lock_timeout = ${LOCK_MS}`);
    const [lock] = await run<{ isMine: unknown }>(tx, `SELECT pg_try_advisory_xact_lock(${PARTS_LOCK}) AS "isMine"`);
    if (!lock?.isMine) return false;
    await change(tx, partsOf(await run<FoundPart>(tx, PARTS)));
    return true;
  });

const run = async <R>(query: Tx, text: string): Promise<R[]> => (await sql.raw<R>(text).execute(query)).rows;
