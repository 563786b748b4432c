import type { Kysely } from 'kysely';
import { type LastStatement, runAtCommit } from '../../platform/storage/at-commit.ts';
import { insertOf, type RowsStatement } from '../../platform/storage/bulk.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { LiveEventRow } from '../schema/rows/tracking-rows.ts';
import { slotOf } from '../schema/slot.ts';
import type { Tables } from '../schema/tables.ts';
import { heardText, type ReportedEvent } from './heard-text.ts';

/**
 * Writes the log of the live streams. An event is written in the same transaction as its cause, as its last
 * statement.
 */

export interface LiveEvent {
  readonly kind: LiveEventRow['kind'];
  readonly deviceId: number;
  /** Users who may see this device may see the event too. */
  readonly otherDeviceId?: number;
  /** The only user, besides admins, who may see the event. */
  readonly userId?: number;
  readonly event: unknown;
}

const COLUMNS = {
  created: 'time',
  deviceId: 'integer',
  otherDeviceId: 'integer',
  userId: 'integer',
  kind: 'text',
  event: 'text',
} as const;
const NAMES = Object.keys(COLUMNS);
const list = (before: string) => NAMES.map((name) => `${before}"${name}"`).join(', ');

/**
 * On PostgreSQL the order of a sequence is not the order of commits. A slot's row in `slots` is its counter and its lock:
 * from here to the commit only one transaction has a slot, so a reader that has seen an id of it has seen all before it.
 * Rows are locked in the order of slots, so that transactions never wait in a circle. `place` counts down to 0, the last
 * entry of the transaction in its slot.
 */
const APPEND = {
  columns: { slot: 'integer', place: 'integer', ...COLUMNS },
  sqlite: '',
  postgres: `,
 locked AS MATERIALIZED (
  SELECT "slot" FROM "slots" WHERE "slot" IN (SELECT "slot" FROM given) ORDER BY "slot" FOR NO KEY UPDATE),
 taken AS (
  UPDATE "slots" SET "last" = "last" + counted."count"
  FROM (SELECT given."slot", COUNT(*) AS "count" FROM given JOIN locked ON locked."slot" = given."slot" GROUP BY 1) AS counted
  WHERE "slots"."slot" = counted."slot" RETURNING "slots"."slot", "slots"."last")
 INSERT INTO "liveEvents" ("slot", "id", ${list('')})
 SELECT given."slot", taken."last" - given."place", ${list('given.')} FROM given JOIN taken ON taken."slot" = given."slot"`,
} as const satisfies RowsStatement;

/**
 * Where Citus spreads the database the counter and the entries are statements of their own, both for the worker that has the
 * slot: it has counted when the entries are written, and nobody else has the row until the commit.
 */
const COUNT_UP = {
  ...APPEND,
  postgres: `,
 locked AS MATERIALIZED (
  SELECT "slot" FROM "slots" WHERE "slot" IN (SELECT "slot" FROM given) ORDER BY "slot" FOR NO KEY UPDATE)
 UPDATE "slots" SET "last" = "last" + counted."count"
  FROM (SELECT given."slot", COUNT(*) AS "count" FROM given JOIN locked ON locked."slot" = given."slot" GROUP BY 1) AS counted
  WHERE "slots"."slot" = counted."slot"`,
} as const satisfies RowsStatement;
const APPEND_COUNTED = {
  ...APPEND,
  postgres: `INSERT INTO "liveEvents" ("slot", "id", ${list('')})
 SELECT home."slot", home."last" - given."place", ${list('given.')} FROM given JOIN "slots" home ON home."slot" = given."slot"`,
} as const satisfies RowsStatement;

/** SQLite has only one writer: the order of ids is the order of commits. */
const LOG: LastStatement = {
  sqlite: insertOf('liveEvents', COLUMNS),
  postgres: APPEND,
  spread: [COUNT_UP, APPEND_COUNTED],
  arrange(rows) {
    const counts = new Map<number, number>();
    return rows
      .toReversed()
      .map((row) => {
        const slot = slotOf(row[DEVICE_ID] as number);
        const place = counts.get(slot) ?? 0;
        counts.set(slot, place + 1);
        return [slot, place, ...row];
      })
      .reverse();
  },
};
const DEVICE_ID = NAMES.indexOf('deviceId');

export async function appendLiveEvents(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  events: readonly LiveEvent[],
  now: number,
): Promise<void> {
  const rows = events.map(({ kind, deviceId, otherDeviceId, userId, event }) => [
    now,
    deviceId,
    otherDeviceId ?? null,
    userId ?? null,
    kind,
    kind === 'heard' ? heardText(event as ReportedEvent, now) : JSON.stringify(event),
  ]);
  await runAtCommit(tx, storeKind, LOG, rows);
}

/** Who may see a device changed: for one user, or for all if none is given. */
export const accessChanged = (deviceId: number, userId?: number): LiveEvent => ({
  kind: 'access',
  deviceId,
  userId,
  event: null,
});

/** In place of the id of a device: all of them. */
export const ALL_DEVICES = 0;

/** What a user may see changed altogether, as when they are no admin any more: their streams end. */
export const allAccessChanged = (userId: number): LiveEvent => accessChanged(ALL_DEVICES, userId);
