import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Log } from '../../platform/log.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import { cutOf } from '../positions/kept-days.ts';
import {
  changeParts,
  dropParts,
  isPartEmpty,
  type SegmentPart,
  type StayingSegments,
  segmentParts,
} from '../positions/segment-months.ts';
import type { Store, Tables } from '../schema/tables.ts';

/**
 * Packed positions of months that nobody keeps any more are not deleted row by row: each device notes that they are
 * forgotten, and then the parts of the table go that they lie in. SQLite has no parts.
 */

/** No number of days. */
const FOREVER = 1_000_000;
/** If more bytes have to stay, it is waited until they need not. */
const MOST_STAYING = 32_000_000;
const ATTEMPTS = 3;
const RETRY_MS = 1000;

/**
 * Until when the parts reach that nobody keeps any more; undefined where there are none. A device may keep less than all of them,
 * never more.
 */
export async function outlivedUntil(store: Store, keptDays: number, now: number): Promise<number | undefined> {
  const parts = await segmentParts(store);
  if (parts.length === 0) return undefined;
  const longest = await longestKept(store.query, keptDays);
  const outlived = outlivedOf(parts, longest === undefined ? undefined : cutOf(now, longest));
  if (outlived.length === 0) return undefined;
  // The part of what is older is always there, and mostly empty.
  if (!outlived.at(-1)!.isMonth && (await isPartEmpty(store.query, outlived[0]!))) return undefined;
  return outlived.at(-1)!.end;
}

const outlivedOf = (parts: readonly SegmentPart[], cut: number | undefined) =>
  cut === undefined ? [] : parts.filter(({ end }) => end <= cut);

/** For how many days positions are stored at most; undefined where some are stored forever. */
async function longestKept(query: Kysely<Tables>, keptDays: number): Promise<number | undefined> {
  const { rows } = await sql<{ days: number | null }>`
    SELECT MAX(COALESCE(NULLIF("keepDays", 0), ${sql.lit(FOREVER)})) AS "days" FROM "deviceStates"`.execute(query);
  const days = Math.min(Number(rows[0]?.days ?? FOREVER), keptDays || FOREVER);
  return days >= FOREVER ? undefined : days;
}

/**
 * What of a part is not forgotten: a little before the time that a device keeps there may be no state of it to go on from,
 * one that was not heard since keeps the last, and of others something still waits to be judged. A deleted device, which can
 * be restored for a while, keeps no more than others.
 */
const STAYING: StayingSegments = {
  join: `JOIN "deviceStates" s ON s."slot" = p."slot" AND s."deviceId" = p."deviceId"
    JOIN "devices" d ON d."slot" = s."slot" AND d."id" = s."deviceId"`,
  where: `d."deletedAt" IS NULL AND (s."forgottenUntil" IS NULL OR p."last" >= s."forgottenUntil")`,
};

/** Drops the parts until a time, where all that has to stay is little; whether it did. */
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
      // Somebody reads them just now.
      if (!(error instanceof StoreTrouble) || error.kind !== 'busy') throw error;
      if (attempt === ATTEMPTS) return false;
      await pause(RETRY_MS);
    }
  }
  return false;
}

async function stayingBytes(query: Kysely<Tables>, until: number): Promise<number> {
  const { rows } = await sql<{ bytes: number | null }>`SELECT SUM(octet_length(p."data")) AS "bytes"
    FROM "segments" p ${sql.raw(STAYING.join)} WHERE p."first" < ${until} AND (${sql.raw(STAYING.where)})`.execute(
    query,
  );
  return Number(rows[0]?.bytes ?? 0);
}

/** Where one is restored, nothing is judged again from before. */
const forgetOfDeleted = (tx: Kysely<Tables>, until: number) =>
  sql`UPDATE "deviceStates" AS s SET "forgottenUntil" = ${until} FROM "devices" d
    WHERE d."slot" = s."slot" AND d."id" = s."deviceId" AND d."deletedAt" IS NOT NULL
      AND (s."forgottenUntil" IS NULL OR s."forgottenUntil" < ${until})`.execute(tx);
