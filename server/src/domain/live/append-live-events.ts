import { CompiledQuery, type Kysely } from 'kysely';
import { insertOf, runRows } from '../../platform/storage/bulk.ts';
import { prepareText } from '../../platform/storage/postgres/prepared-texts.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { LiveEventRow } from '../schema/rows/tracking-rows.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Writes the log of the live streams. An event is written in the same transaction as its cause, as the last statement.
 */

/** What a device reported: only the ids of points and readings, to keep the log small and fast. */
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

export interface LiveEvent {
  readonly kind: LiveEventRow['kind'];
  readonly deviceId: number;
  /** Users who may see this device may see the event too. */
  readonly otherDeviceId?: number;
  /** The only user, besides admins, who may see the event. */
  readonly userId?: number;
  readonly event: unknown;
}

const INSERT = insertOf('liveEvents', {
  created: 'time',
  deviceId: 'integer',
  otherDeviceId: 'integer',
  userId: 'integer',
  kind: 'text',
  event: 'text',
});
/** An arbitrary number that no other lock in this database uses. */
const LOG_LOCK = 7_203_117;
const LOCK_LOG = prepareText(`SELECT pg_advisory_xact_lock(${LOG_LOCK})`);

export async function appendLiveEvents(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  events: readonly LiveEvent[],
  now: number,
): Promise<void> {
  if (events.length === 0) return;
  // On PostgreSQL the order of a sequence is not the order of commits. From this lock to the commit only one
  // transaction runs at a time, so a reader that has seen an id has seen all before it. SQLite has only one writer
  // anyway.
  if (storeKind === 'postgres') await tx.executeQuery(CompiledQuery.raw(LOCK_LOG));
  const rows = events.map(({ kind, deviceId, otherDeviceId, userId, event }) => [
    now,
    deviceId,
    otherDeviceId ?? null,
    userId ?? null,
    kind,
    JSON.stringify(event),
  ]);
  await runRows(tx, storeKind, INSERT, rows);
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
