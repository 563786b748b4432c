import type { ManyRows } from '../storage/insert-many.ts';
import type { StoreKind } from '../storage/store-kind.ts';

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

const HEALTH = '"state", "failures", "nextTryAt", "downSince", "lastSuccess", "lastError", "lastErrorAt"';

/** Cells: owner, until, id, owner, now. */
export const LEASE = `
UPDATE "destinations" SET "leaseOwner" = ?, "leaseUntil" = ?
WHERE "id" = ? AND ("leaseOwner" IS NULL OR "leaseOwner" = ? OR "leaseUntil" <= ?)
RETURNING "id", "kind", "target", "userId", "secrets", ${HEALTH}`;

/** Notes how a destination is, and goes on holding it. Cells: the health, until, id, owner. */
export const KEEP = `
UPDATE "destinations" SET "state" = ?, "failures" = ?, "nextTryAt" = ?, "downSince" = ?, "lastSuccess" = ?, "lastError" = ?,
  "lastErrorAt" = ?, "leaseUntil" = ?
WHERE "id" = ? AND "leaseOwner" = ? RETURNING "secrets"`;

/** Cells: id, owner. */
export const RELEASE = `
UPDATE "destinations" SET "leaseOwner" = NULL, "leaseUntil" = NULL WHERE "id" = ? AND "leaseOwner" = ?`;

/** What an owner that is gone left behind. Cells: id. */
export const ADOPT = `
UPDATE "outbox" SET "state" = 'queued', "reason" = 'The service stopped while it was being sent: it may have arrived'
WHERE "destinationId" = ? AND "state" = 'sending'`;

/** Cells: id. */
export const SENDING = `SELECT "id" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'sending'`;

const claim = (held: string) => `
UPDATE "outbox" SET "state" = 'sending' WHERE "state" = 'queued' AND "id" IN (
  SELECT "id" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'queued' AND "nextAt" <= ?${held} ORDER BY "id" LIMIT ?
) RETURNING "id", "messageId", "userId", "deviceId", "address", "content", "attempts", "attemptLog", "expires", "created"`;

/** Cells: destination, now, count. */
export const CLAIM = claim('');

/** The same, but for what stands behind a row that must go first. Cells: destination, now, destination, now, count. */
export const CLAIM_IN_ORDER = claim(` AND ("deviceId" IS NULL OR "deviceId" NOT IN (
    SELECT "deviceId" FROM "outbox" WHERE "destinationId" = ? AND "state" = 'queued' AND "attempts" > 0 AND "nextAt" > ?
    AND "deviceId" IS NOT NULL))`);

/** What was claimed and not sent after all. */
export const RETURN: ManyRows = {
  row: 'CAST(? AS BIGINT)',
  text: (ids) => `UPDATE "outbox" SET "state" = 'queued' WHERE "state" = 'sending' AND "id" IN (${ids})`,
};

const settle = (json: string): ManyRows => ({
  row: `(CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS ${json}), CAST(? AS BIGINT), CAST(? AS BIGINT))`,
  // One that was taken over in the meantime may be waiting again: what is known of it now is still true.
  text: (rows) =>
    `WITH "settled" ("id", "state", "reason", "attempts", "attemptLog", "nextAt", "ended") AS (VALUES ${rows}) ` +
    'UPDATE "outbox" SET "state" = "settled"."state", "reason" = "settled"."reason", "attempts" = "settled"."attempts", ' +
    '"attemptLog" = "settled"."attemptLog", "nextAt" = "settled"."nextAt", "ended" = "settled"."ended" ' +
    `FROM "settled" WHERE "outbox"."id" = "settled"."id" AND "outbox"."state" IN ('sending', 'queued')`,
});

/** What became of rows. Cells of each: id, state, reason, attempts, attemptLog, nextAt, ended. */
export const SETTLE: Readonly<Record<StoreKind, ManyRows>> = { sqlite: settle('TEXT'), postgres: settle('JSONB') };

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
 * Cells: now, expires, user, after, last, state, from, to, destination or 0, the same, and those that get nothing, as
 * `,1,2,`.
 */
export const RESEND = `
UPDATE "outbox" SET "state" = 'queued', "reason" = NULL, "attempts" = 0, "nextAt" = ?, "expires" = ?, "ended" = NULL
WHERE "userId" = ? AND "id" > ? AND "id" <= ? AND "state" = ? AND "created" >= ? AND "created" < ?
  AND "destinationId" IS NOT NULL AND (CAST(? AS BIGINT) = 0 OR "destinationId" = ?)
  AND CAST(? AS TEXT) NOT LIKE '%,' || "destinationId" || ',%'
RETURNING "id"`;
