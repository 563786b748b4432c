import { type RowsStatement, updateOf } from '../storage/bulk.ts';
import { acquireLease, type LeaseColumns, releaseLease, renewLease } from '../storage/lease.ts';
import type { Health } from './fate.ts';

/** The hot SQL of the outbox. Each finds its rows by an index, however many there are: see query-plan.test.ts. */

/** The number of destinations that are looked at in one statement. */
export const PAGE = 200;

/**
 * Destinations for which something waits, after a given id. It jumps from one to the next in the index, so that a
 * million rows that wait for one of them cost nothing. Cells: after, now.
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

/** Destinations with rows that somebody was sending whose lease has ended. Cells: now. */
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
  'lastErrorAt',
] as const satisfies readonly (keyof Health)[];

/** Cells: owner, until, id, owner, now. */
export const LEASE = acquireLease(DESTINATION_LEASE, {
  returning: ['id', 'kind', 'target', 'userId', 'secrets', ...HEALTH],
});

/** Notes how a destination is, and goes on holding it. Cells: until, the health, id, owner. */
export const KEEP = renewLease(DESTINATION_LEASE, { set: HEALTH, returning: ['secrets'] });

/** Cells: id, owner. */
export const RELEASE = releaseLease(DESTINATION_LEASE);

/** What an owner that is gone left behind. Cells: id. */
export const LEFT_BEHIND = `
SELECT "id", "attempts", "attemptLog" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'sending' ORDER BY "id"`;

/** Cells: id. */
export const SENDING = `SELECT "id" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'sending'`;

const claim = (held: string) => `
UPDATE "outbox" SET "state" = 'sending' WHERE "state" = 'queued' AND "id" IN (
  SELECT "id" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'queued' AND "nextAt" <= ?${held} ORDER BY "id" LIMIT ?
) RETURNING "id", "messageId", "userId", "deviceId", "address", "content", "attempts", "attemptLog", "expires", "created"`;

/** A claim that also answers of each row whether it may still go. */
export const askingIn = (claiming: string, mayGo: string) => `${claiming}, ${mayGo} AS "mayGo"`;

/** Those of some rows that may not go any more. Cells: their ids. */
export const barredIn = (count: number, mayGo: string) =>
  `SELECT "id" FROM "outbox" WHERE "id" IN (${Array(count).fill('?').join(', ')}) AND NOT ${mayGo}`;

/** Cells: destination, now, count. */
export const CLAIM = claim('');

/** The same, but for what stands behind a row that must go first. Cells: destination, now, destination, now, count. */
export const CLAIM_IN_ORDER = claim(` AND ("deviceId" IS NULL OR "deviceId" NOT IN (
    SELECT "deviceId" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'queued' AND "attempts" > 0 AND "nextAt" > ?
    AND "deviceId" IS NOT NULL))`);

/** What was claimed and not sent after all. Cells of each: state, id. */
export const RETURN: RowsStatement = updateOf(
  'outbox',
  { state: 'text', id: 'integer' },
  {},
  `"outbox"."state" = 'sending'`,
);

/** What became of rows. One that was taken over in the meantime may be waiting again: what is known of it is still true. */
export const SETTLE: RowsStatement = updateOf(
  'outbox',
  {
    state: 'text',
    reason: 'text',
    attempts: 'integer',
    attemptLog: 'json',
    nextAt: 'time',
    ended: 'time',
    id: 'integer',
  },
  {},
  `"outbox"."state" IN ('sending', 'queued')`,
);

/** The oldest that wait for a destination and waited too long. Cells: reason, now, destination, count, now. */
export const EXPIRE = `
UPDATE "outbox" SET "state" = 'dead', "reason" = ?, "ended" = ? WHERE "state" = 'queued' AND "id" IN (
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

/** The next rows of a user, whatever they are. Cells: user, after, count. */
export const RESEND_WINDOW = `
SELECT MAX("id") AS "last", COUNT(*) AS "rows" FROM (
  SELECT "id" FROM "outbox" WHERE "userId" = ? AND "id" > ? ORDER BY "id" LIMIT ?) "window"`;

/**
 * Not what was erased. Cells: now, expires, user, after, last, state, from, to, destination or 0, the same, and those that get nothing, as
 * `,1,2,`.
 */
export const RESEND = `
UPDATE "outbox" SET "state" = 'queued', "reason" = NULL, "attempts" = 0, "nextAt" = ?, "expires" = ?, "ended" = NULL
WHERE "userId" = ? AND "id" > ? AND "id" <= ? AND "state" = ? AND "created" >= ? AND "created" < ?
  AND "content" <> '{}' AND "destinationId" IS NOT NULL AND (CAST(? AS BIGINT) = 0 OR "destinationId" = ?)
  AND CAST(? AS TEXT) NOT LIKE '%,' || "destinationId" || ',%'
RETURNING "id"`;
