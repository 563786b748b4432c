import { devicesIn, insertOf, type RowsStatement, type SpreadStatement } from '../../platform/storage/bulk.ts';
import { type LastStatement, runAtCommit } from '../../platform/storage/later.ts';
import { SLOT_KEYS, slotOf } from '../schema/owned-devices.ts';
import type { LiveEventRow } from '../schema/rows/tracking-rows.ts';
import type { Tx } from '../schema/tables.ts';

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
 * On PostgreSQL the order of a sequence is not the order of commits. A slot's row in `slots` is its counter and its
 * lock: from here to the commit only one transaction has a slot, so a reader that has seen an id of it has seen all
 * before it. Rows are locked in the order of slots, to avoid deadlocks. `place` counts down to 0, the last entry of the
 * transaction in its slot.
 */
const APPEND = {
  columns: { slot: 'integer', place: 'integer', ...COLUMNS },
  sqlite: '',
  postgres: `,
 locked AS MATERIALIZED (
  SELECT "slot" FROM "slots" WHERE "slot" IN (SELECT "slot" FROM given) ORDER BY "slot" FOR NO KEY UPDATE),
 taken AS (
  UPDATE "slots" SET "lastId" = "lastId" + counted."count"
  FROM (SELECT given."slot", COUNT(*) AS "count" FROM given JOIN locked ON locked."slot" = given."slot" GROUP BY 1) AS counted
  WHERE "slots"."slot" = counted."slot" RETURNING "slots"."slot", "slots"."lastId")
 INSERT INTO "liveEvents" ("slot", "id", ${list('')})
 SELECT given."slot", taken."lastId" - given."place", ${list('given.')} FROM given JOIN taken ON taken."slot" = given."slot"`,
} as const satisfies RowsStatement;

/**
 * With Citus the counter and the entries are separate statements, both for the worker of the slot: it has counted when
 * the entries are written, and no other transaction has the row until the commit.
 */
const SLOTS_GIVEN = devicesIn(APPEND.columns, 'slot');
const COUNT_UP: SpreadStatement = {
  columns: APPEND.columns,
  by: 'slot',
  postgres: `,
 locked AS MATERIALIZED (
  SELECT "slot" FROM "slots" WHERE "slot" = ${SLOTS_GIVEN} ORDER BY "slot" FOR NO KEY UPDATE)
 UPDATE "slots" SET "lastId" = "lastId" + counted."count"
  FROM (SELECT given."slot", COUNT(*) AS "count" FROM given JOIN locked ON locked."slot" = given."slot" GROUP BY 1) AS counted
  WHERE "slots"."slot" = counted."slot" AND "slots"."slot" = ${SLOTS_GIVEN}`,
};
const APPEND_COUNTED: SpreadStatement = {
  columns: APPEND.columns,
  by: 'slot',
  postgres: `INSERT INTO "liveEvents" ("slot", "id", ${list('')})
 SELECT home."slot", home."lastId" - given."place", ${list('given.')} FROM given JOIN "slots" home ON home."slot" = given."slot" AND home."slot" = ${SLOTS_GIVEN}`,
};

/** SQLite has only one writer: the order of ids is the order of commits. */
export const LOG: LastStatement = {
  sqlite: insertOf('liveEvents', COLUMNS),
  postgres: APPEND,
  spread: [COUNT_UP, APPEND_COUNTED],
  arrange(rows) {
    const counts = new Map<number, number>();
    return rows
      .toReversed()
      .map((row) => {
        const slot = SLOT_KEYS[slotOf(row[DEVICE_ID] as number)]!;
        const place = counts.get(slot) ?? 0;
        counts.set(slot, place + 1);
        return [slot, place, ...row];
      })
      .reverse();
  },
};
const DEVICE_ID = NAMES.indexOf('deviceId');

export async function appendLiveEvents(tx: Tx, events: readonly LiveEvent[], now: number): Promise<void> {
  const rows = events.map(({ kind, deviceId, otherDeviceId, userId, event }) => [
    now,
    deviceId,
    otherDeviceId ?? null,
    userId ?? null,
    kind,
    kind === 'report' ? encodeReport(event as ReportedEvent, now) : JSON.stringify(event),
  ]);
  await runAtCommit(tx, LOG, rows);
}

/** A change of access to a device: for one user, or for all if none is given. */
export const accessChanged = (deviceId: number, userId?: number): LiveEvent => ({
  kind: 'access',
  deviceId,
  userId,
  event: null,
});

/** In place of the id of a device: all devices. */
export const ALL_DEVICES = 0;

/** A change of a user's access to all devices, such as the loss of admin rights: their streams end. */
export const allAccessChanged = (userId: number): LiveEvent => accessChanged(ALL_DEVICES, userId);

/** A report in the log: only the ids of points and readings, to keep the log small and fast. */
export interface ReportedEvent {
  readonly points?: readonly number[];
  readonly readings?: readonly number[];
  readonly device?: DeviceChange;
}

/** The changed fields of a device; absent fields are unchanged. Times are epoch milliseconds. */
export interface DeviceChange {
  readonly lastConnection?: number;
  readonly moving?: boolean | null;
  readonly batteryPct?: number;
  readonly batteryVoltage?: number;
  readonly currentMode?: number;
}

/**
 * The text of a report in the log. Common reports make up nearly all of the log, so they are written in a tenth of the
 * JSON: `first point,points,moving,battery %,battery V,mode`, each but the first two empty if absent.
 */

/** @param created time of the entry, which is usually that of the connection too */
export function encodeReport(event: ReportedEvent, created: number): string {
  const { points = [], readings, device } = event;
  if (readings !== undefined || device === undefined || device.lastConnection !== created || !isRow(points))
    return JSON.stringify(event);
  const { moving, batteryPct, batteryVoltage, currentMode } = device;
  return `${points[0] ?? 0},${points.length},${MOVING.indexOf(moving)},${batteryPct ?? ''},${batteryVoltage ?? ''},${currentMode ?? ''}`;
}

/** By their position in the text. */
const MOVING: readonly DeviceChange['moving'][] = [undefined, null, false, true];

/** Whether the ids are consecutive, like the ids of a report. */
function isRow(ids: readonly number[]): boolean {
  for (let index = 1; index < ids.length; index++) if (ids[index] !== ids[index - 1]! + 1) return false;
  return true;
}

export function decodeReport(text: string, created: number): ReportedEvent {
  if (text.startsWith('{')) return JSON.parse(text);
  const [first, count, moving, batteryPct, batteryVoltage, currentMode] = text.split(',');
  const isMoving = MOVING[Number(moving)];
  return {
    points: Array.from({ length: Number(count) }, (_, index) => Number(first) + index),
    device: {
      lastConnection: created,
      ...(isMoving !== undefined && { moving: isMoving }),
      ...(batteryPct !== '' && { batteryPct: Number(batteryPct) }),
      ...(batteryVoltage !== '' && { batteryVoltage: Number(batteryVoltage) }),
      ...(currentMode !== '' && { currentMode: Number(currentMode) }),
    },
  };
}
