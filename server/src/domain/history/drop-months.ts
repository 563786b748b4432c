import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Log } from '../../platform/log.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import {
  changeParts,
  dropParts,
  isPartEmpty,
  type SegmentPart,
  type StayingSegments,
  segmentParts,
} from '../positions/segment-months.ts';
import { cutOf } from '../positions/segments.ts';
import type { Store, Tx } from '../schema/tables.ts';
import type { MonthSpan } from './row-source.ts';

/**
 * Packed positions of expired months are not deleted row by row: each device records that they are forgotten, and then
 * the partitions that contain them are dropped. SQLite has no partitions.
 */

/** Larger than any number of days. */
const FOREVER = 1_000_000;
/** If more bytes must be kept, dropping is postponed. */
const MOST_STAYING = 32_000_000;
const ATTEMPTS = 3;
const RETRY_MS = 1000;

/**
 * The end of the partitions that no device needs any more; undefined if there are none. A device may keep less than
 * that, never more.
 */
export async function outlivedUntil(store: Store, keptDays: number, now: number): Promise<number | undefined> {
  const parts = await segmentParts(store);
  if (parts.length === 0) return undefined;
  const longest = await longestKept(store.query, keptDays);
  const outlived = outlivedOf(parts, longest === undefined ? undefined : cutOf(now, longest));
  if (outlived.length === 0) return undefined;
  // The partition of older data always exists, and is usually empty.
  if (!outlived.at(-1)!.isMonth && (await isPartEmpty(store.query, outlived[0]!))) return undefined;
  return outlived.at(-1)!.end;
}

const outlivedOf = (parts: readonly SegmentPart[], cut: number | undefined) =>
  cut === undefined ? [] : parts.filter(({ end }) => end <= cut);

/** The maximum retention of positions in days; undefined if some are stored forever. */
async function longestKept(query: Tx, keptDays: number): Promise<number | undefined> {
  const { rows } = await sql<{ days: number | null }>`
    SELECT MAX(COALESCE(NULLIF("keepDays", 0), ${sql.lit(FOREVER)})) AS "days" FROM "deviceStates"`.execute(query);
  const days = Math.min(Number(rows[0]?.days ?? FOREVER), keptDays || FOREVER);
  return days >= FOREVER ? undefined : days;
}

/**
 * The rows of a partition that must stay: a little before a device's retention limit there may be no state to continue
 * from, a device without later reports keeps the last ones, and other data still waits for evaluation. A deleted
 * device, which can be restored for a while, keeps no more than others.
 */
const STAYING: StayingSegments = {
  join: `JOIN "deviceStates" s ON s."deviceId" = p."deviceId"
    JOIN "devices" d ON d."id" = s."deviceId"`,
  where: `d."deletedAt" IS NULL AND (s."forgottenUntil" IS NULL OR p."lastAt" >= s."forgottenUntil")`,
};

/** Drops the partitions up to a time, if the rows that must stay are few. Returns whether it did. */
export async function dropOutlived(
  store: Store,
  until: number,
  { log, goOn }: { readonly log: Pick<Log, 'info'>; readonly goOn: () => boolean },
): Promise<boolean> {
  if ((await stayingBytes(store.query, until)) > MOST_STAYING) return false;
  for (let attempt = 1; goOn(); attempt += 1) {
    try {
      let dropped: readonly SegmentPart[] = [];
      await changeParts(store, async (tx, parts) => {
        const outlived = outlivedOf(parts, until);
        if (outlived.length === 0) return;
        await forgetOfDeleted(tx, until);
        await dropParts(tx, outlived, STAYING);
        dropped = outlived;
      });
      if (dropped.length > 0)
        log.info({ parts: dropped.map(({ name }) => name) }, 'Months of packed positions were dropped');
      return dropped.length > 0;
    } catch (error) {
      // The partitions are being read at the moment.
      if (!(error instanceof StoreTrouble) || error.kind !== 'busy') throw error;
      if (attempt === ATTEMPTS) return false;
      await pause(RETRY_MS);
    }
  }
  return false;
}

async function stayingBytes(query: Tx, until: number): Promise<number> {
  const { rows } = await sql<{ bytes: number | null }>`SELECT SUM(octet_length(p."data")) AS "bytes"
    FROM "positionSegments" p ${sql.raw(STAYING.join)} WHERE p."firstAt" < ${until} AND (${sql.raw(STAYING.where)})`.execute(
    query,
  );
  return Number(rows[0]?.bytes ?? 0);
}

/** After a restore, nothing earlier is evaluated again. */
const forgetOfDeleted = (tx: Tx, until: number) =>
  sql`UPDATE "deviceStates" AS s SET "forgottenUntil" = ${until} FROM "devices" d
    WHERE d."id" = s."deviceId" AND d."deletedAt" IS NOT NULL
      AND (s."forgottenUntil" IS NULL OR s."forgottenUntil" < ${until})`.execute(tx);

/** A UTC month, as `2026-03`. */
const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);

export function spanOf(month: string): MonthSpan {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) };
}

/** The months that start with the month of `first` and end by `before`. */
export function* monthsBetween(first: number, before: number): Generator<string> {
  for (let month = monthOf(first); ; month = monthOf(spanOf(month).to)) {
    if (spanOf(month).to > before) return;
    yield month;
  }
}
