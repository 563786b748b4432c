import { CompiledQuery, type Kysely } from 'kysely';
import { insertOf, runRows } from '../../platform/storage/bulk.ts';
import { prepareText } from '../../platform/storage/postgres/prepared-texts.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { LiveEventRow, Tables } from '../schema/tables.ts';

/**
 * The log of what live streams tell. It is written in the transaction that makes it true, as the last thing the
 * transaction does.
 */

/** What a device reported: points and readings by their ids, since that is all the log has room and time for. */
export interface ReportedEvent {
  readonly points?: readonly number[];
  readonly readings?: readonly number[];
  readonly device?: DeviceChange;
}

/** What is new about a device; what is absent stayed as it was. Times are epoch milliseconds. */
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
  /** Whoever may see this device may see it as well. */
  readonly otherDeviceId?: number;
  /** Whom alone it concerns, admins aside. */
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
/** Any number that nothing else in this database locks. */
const LOG_LOCK = 7_203_117;
const LOCK_LOG = prepareText(`SELECT pg_advisory_xact_lock(${LOG_LOCK})`);

export async function appendLiveEvents(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  tellings: readonly LiveEvent[],
  now: number,
): Promise<void> {
  if (tellings.length === 0) return;
  // On PostgreSQL a sequence is not the order of commits. From here to the commit one transaction goes at a time, so a
  // reader that has seen an id has seen all before it. On SQLite it is so by itself.
  if (storeKind === 'postgres') await tx.executeQuery(CompiledQuery.raw(LOCK_LOG));
  const rows = tellings.map(({ kind, deviceId, otherDeviceId, userId, event }) => [
    now,
    deviceId,
    otherDeviceId ?? null,
    userId ?? null,
    kind,
    JSON.stringify(event),
  ]);
  await runRows(tx, storeKind, INSERT, rows);
}

/** Who may see a device changed: for one user, or where none is named for all. */
export const accessChanged = (deviceId: number, userId?: number): LiveEvent => ({
  kind: 'access',
  deviceId,
  userId,
  event: null,
});
