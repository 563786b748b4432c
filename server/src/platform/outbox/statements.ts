import { type RowsStatement, updateOf } from '../storage/bulk.ts';
import { acquireLease, type LeaseColumns, releaseLease, renewLease } from '../storage/lease.ts';
import type { Health } from './retries.ts';

/**
 * The hot SQL of the outbox. Each statement finds its rows by an index, however many there are: see query-plan.test.ts.
 */

/** Number of destinations per statement. */
export const PAGE = 200;

/**
 * Destinations with waiting rows, after a given id. It jumps from one to the next in the index, so that a million rows
 * of one destination cost nothing. Cells: after, now.
 */
export const FIND_WAITING = `
WITH RECURSIVE "waiting" ("id") AS (
  SELECT (SELECT "destinationId" FROM "outbox" WHERE "state" = 'queued' AND "destinationId" > ? ORDER BY "destinationId" LIMIT 1)
  UNION ALL
  SELECT (SELECT "destinationId" FROM "outbox" WHERE "state" = 'queued' AND "destinationId" > "waiting"."id" ORDER BY "destinationId" LIMIT 1)
  FROM "waiting" WHERE "waiting"."id" IS NOT NULL
)
SELECT d."id", d."kind", d."state", d."nextTryAt", d."leaseOwner", d."leaseUntil",
  (SELECT 1 FROM "outbox" q WHERE q."destinationId" = d."id" AND q."state" = 'queued' AND q."nextAt" <= ? ORDER BY q."id" LIMIT 1) AS "isDue"
FROM (SELECT "id" FROM "waiting" WHERE "id" IS NOT NULL LIMIT ${PAGE}) w JOIN "destinations" d ON d."id" = w."id"
ORDER BY d."id"`;

/** Destinations with rows in state `sending` whose lease has expired. Cells: now. */
export const FIND_ORPHANED = `
SELECT DISTINCT o."destinationId" AS "id" FROM "outbox" o JOIN "destinations" d ON d."id" = o."destinationId"
WHERE o."state" = 'sending' AND (d."leaseOwner" IS NULL OR d."leaseUntil" <= ?) LIMIT ${PAGE}`;

export const DESTINATION_LEASE: LeaseColumns = {
  table: 'destinations',
  key: 'id',
  owner: 'leaseOwner',
  until: 'leaseUntil',
};

/** In the order of the cells of `KEEP`. */
export const HEALTH = [
  'state',
  'failures',
  'nextTryAt',
  'downSince',
  'lastSuccess',
  'lastError',
  'lastErrorDetails',
  'lastErrorAt',
] as const satisfies readonly (keyof Health)[];

/** Cells: owner, until, id, owner, now. */
export const LEASE = acquireLease(DESTINATION_LEASE, {
  returning: ['id', 'kind', 'target', 'userId', 'secrets', ...HEALTH],
});

/** Stores the health of a destination, and renews its lease. Cells: until, the health, id, owner. */
export const KEEP = renewLease(DESTINATION_LEASE, { set: HEALTH, returning: ['secrets'] });

/** Cells: id, owner. */
export const RELEASE = releaseLease(DESTINATION_LEASE);

/** Rows that a dead owner left behind. Cells: id. */
export const LEFT_BEHIND = `
SELECT "id", "attempts", "attemptLog" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'sending' ORDER BY "id"`;

/** Cells: id. */
export const SENDING = `SELECT "id" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'sending'`;

const claim = (held: string) => `
UPDATE "outbox" SET "state" = 'sending' WHERE "state" = 'queued' AND "id" IN (
  SELECT "id" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'queued' AND "nextAt" <= ?${held} ORDER BY "id" LIMIT ?
) RETURNING "id", "messageId", "userId", "deviceId", "address", "content", "attempts", "attemptLog", "expires", "created"`;

/** A claim that also returns for each row whether it may still be sent. */
export const askingIn = (claiming: string, mayGo: string) => `${claiming}, ${mayGo} AS "mayGo"`;

/** The rows that may no longer be sent. Cells: their ids. */
export const barredIn = (count: number, mayGo: string) =>
  `SELECT "id" FROM "outbox" WHERE "id" IN (${Array(count).fill('?').join(', ')}) AND NOT ${mayGo}`;

/** Cells: destination, now, count. */
export const CLAIM = claim('');

/** The same, except rows behind one that must be sent first. Cells: destination, now, destination, now, count. */
export const CLAIM_IN_ORDER = claim(` AND ("deviceId" IS NULL OR "deviceId" NOT IN (
    SELECT "deviceId" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'queued' AND "attempts" > 0 AND "nextAt" > ?
    AND "deviceId" IS NOT NULL))`);

/** Claimed rows that were not sent. Cells of each: state, id. */
export const RETURN: RowsStatement = updateOf(
  'outbox',
  { state: 'text', id: 'integer' },
  {},
  { condition: `"outbox"."state" = 'sending'` },
);

/** Outcomes of rows. A row that was adopted in the meantime may be queued again: its outcome is still true. */
export const SETTLE: RowsStatement = updateOf(
  'outbox',
  {
    state: 'text',
    reason: 'text',
    reasonDetails: 'json',
    attempts: 'integer',
    attemptLog: 'json',
    nextAt: 'time',
    ended: 'time',
    id: 'integer',
  },
  {},
  { condition: `"outbox"."state" IN ('sending', 'queued')` },
);

/** The oldest expired rows of a destination. Cells: reason, its details, now, destination, count, now. */
export const EXPIRE = `
UPDATE "outbox" SET "state" = 'dead', "reason" = ?, "reasonDetails" = ?, "ended" = ? WHERE "state" = 'queued' AND "id" IN (
  SELECT "id" FROM (
    SELECT "id", "expires" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'queued' ORDER BY "id" LIMIT ?
  ) "oldest" WHERE "expires" <= ?
) RETURNING "id"`;

/** Cells: before, count. */
export const FORGET_SENT = `
DELETE FROM "outbox" WHERE "id" IN (SELECT "id" FROM "outbox" WHERE "ended" < ? AND "state" = 'sent' ORDER BY "ended" LIMIT ?)
RETURNING "id"`;
export const FORGET_ENDED = `
DELETE FROM "outbox" WHERE "id" IN (SELECT "id" FROM "outbox" WHERE "ended" < ? ORDER BY "ended" LIMIT ?) RETURNING "id"`;

/** The next rows of a user, in any state. Cells: user, after, count. */
export const RESEND_WINDOW = `
SELECT MAX("id") AS "last", COUNT(*) AS "rows" FROM (
  SELECT "id" FROM "outbox" WHERE "userId" = ? AND "id" > ? ORDER BY "id" LIMIT ?) "window"`;

/**
 * Without erased rows. Cells: now, expires, user, after, last, state, from, to, destination or 0, the same, and the
 * excluded ones, as `,1,2,`.
 */
export const RESEND = `
UPDATE "outbox" SET "state" = 'queued', "reason" = NULL, "reasonDetails" = NULL, "attempts" = 0, "nextAt" = ?, "expires" = ?, "ended" = NULL
WHERE "userId" = ? AND "id" > ? AND "id" <= ? AND "state" = ? AND "created" >= ? AND "created" < ?
  AND "content" <> '{}' AND "destinationId" IS NOT NULL AND (CAST(? AS BIGINT) = 0 OR "destinationId" = ?)
  AND CAST(? AS TEXT) NOT LIKE '%,' || "destinationId" || ',%'
RETURNING "id"`;
