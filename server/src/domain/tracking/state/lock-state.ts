import type { Kysely } from 'kysely';
import { RecentMap } from '../../../platform/caches.ts';
import { idsQuery, queryIds, updateOf } from '../../../platform/storage/bulk.ts';
import type { Tables } from '../../schema/tables.ts';
import { type DeviceState, parseStored, type StoredState } from '../evaluate/device-state.ts';

type Tx = Kysely<Tables>;

/** The late mark where nothing is late, but inputs that came in order wait to be evaluated. */
export const BACKLOG_ONLY = Number.MAX_SAFE_INTEGER - 1;

/**
 * The state row of a device, locked until the transaction ends: while it is locked, no other transaction changes the
 * device.
 */
export interface LockedState {
  readonly deviceId: number;
  readonly deviceName: string;
  state: DeviceState;
  newestAt: number;
  checkpointAt: number;
  inputsSinceCheckpoint: number;
  lateFrom: number | null;
  /** Whether inputs that came in order wait to be evaluated. */
  hasBacklog: boolean;
  /** Another number whenever something was appended or the row was written. */
  version: number;
  readonly rulesVersion: number;
  /** Events until then send no notifications. */
  silentUntil: number;
  /** While history is imported: from when on it must be evaluated; `Number.MAX_SAFE_INTEGER` where it came in order. */
  importFrom: number | null;
  /** As it was when the row was locked. */
  readonly stored: {
    readonly lateFrom: number | null;
    readonly hasBacklog: boolean;
    readonly dueAt: number | null;
    readonly importFrom: number | null;
    readonly state: DeviceState;
  };
}

interface StateColumns {
  readonly deviceId: number;
  readonly newestAt: number | null;
  readonly lateFrom: number | null;
  readonly hasBacklog: number;
  readonly version: number;
  readonly dueAt: number | null;
  readonly rulesVersion: number;
  readonly importFrom: number | null;
  readonly name: string | null;
}

/** Locks the state rows of devices until the transaction ends. A device that was deleted has none. */
export async function lockStates(tx: Tx, deviceIds: readonly number[]): Promise<Map<number, LockedState>> {
  const rows = await queryIds<StateColumns & { state: string }>(tx, LOCK_STATES, deviceIds);
  return new Map(rows.map((row) => [row.deviceId, rowOf(row, parseStored(row.state))]));
}

export async function lockState(tx: Tx, deviceId: number): Promise<LockedState | undefined> {
  return (await lockStates(tx, [deviceId])).get(deviceId);
}

/** The committed state row of a device, not locked, and the time of the device's last report. */
export async function readState(
  query: Kysely<Tables>,
  deviceId: number,
): Promise<(LockedState & { readonly reportedAt: number | null }) | undefined> {
  const row = await query
    .selectFrom('deviceStates as s')
    .innerJoin('devices as d', 'd.id', 's.deviceId')
    .select([
      's.deviceId',
      's.newestAt',
      's.lateFrom',
      's.hasBacklog',
      's.version',
      's.dueAt',
      's.rulesVersion',
      's.importFrom',
      's.state',
      's.reportedAt',
      'd.name',
    ])
    .where('s.deviceId', '=', deviceId)
    .where('d.deletedAt', 'is', null)
    .executeTakeFirst();
  return row && Object.assign(rowOf(row, parseStored(row.state)), { reportedAt: row.reportedAt });
}

/** The state row of a device that reports, with what accepting and answering its report needs. */
export interface LockedReportingState extends LockedState {
  /** The hash of the key that it must report with. */
  readonly keyHash: string | null;
  /** Its serial number and IMEI, where one of them is enough to report; empty while an admin must approve them. */
  readonly identifiers: readonly (string | null)[];
  /** Whether its reports are taken. */
  readonly isActive: boolean;
  /** Whether messages or settings wait for it. */
  readonly hasPending: boolean;
  /** Until when the tag was located by sightings; null if there never was one. */
  readonly placedUntil: number | null;
  /** Retention of its history in days, if shorter than the retention of the server. */
  readonly keepDays: number | null;
  /** Positions before this are forgotten. */
  readonly forgottenUntil: number | null;
}

/** Locks the state rows of devices that report. States that are cached need not be read. */
export async function lockReportingStates(
  tx: Tx,
  deviceIds: readonly number[],
  cache: StateCache,
): Promise<Map<number, LockedReportingState>> {
  type ReportingRow = StateColumns & {
    keyHash: string | null;
    isKeyless: number;
    serial: string | null;
    imei: string | null;
    active: number;
    hasPending: number;
    placedUntil: number | null;
    keepDays: number | null;
    forgottenUntil: number | null;
  };
  const rows = await queryIds<ReportingRow>(tx, LOCK_REPORTING, deviceIds);
  const uncached = rows.filter((row) => cache.find(row) === undefined).map(({ deviceId }) => deviceId);
  const read =
    uncached.length === 0
      ? []
      : await queryIds<Pick<StateColumns, 'deviceId'> & { state: string }>(tx, READ_STATES, uncached);
  const states = new Map(read.map(({ deviceId, state }) => [deviceId, state]));
  const storedOf = (row: StateColumns) => cache.find(row) ?? parseStored(states.get(row.deviceId)!);
  return new Map(
    rows.map((row) => [
      row.deviceId,
      {
        ...rowOf(row, storedOf(row)),
        keyHash: row.keyHash,
        identifiers: row.isKeyless === 1 ? [row.serial, row.imei] : NO_IDENTIFIERS,
        isActive: row.active !== 0,
        hasPending: row.hasPending !== 0,
        placedUntil: row.placedUntil,
        keepDays: row.keepDays,
        forgottenUntil: row.forgottenUntil,
      },
    ]),
  );
}

const NO_IDENTIFIERS: readonly never[] = [];

function rowOf(row: StateColumns, stored: StoredState): LockedState {
  const { lateFrom } = row;
  const hasBacklog = row.hasBacklog !== 0;
  const { state, checkpointAt, inputsSinceCheckpoint, silentUntil } = stored;
  return {
    deviceId: row.deviceId,
    deviceName: row.name ?? `Device ${row.deviceId}`,
    state,
    newestAt: row.newestAt ?? Number.NEGATIVE_INFINITY,
    checkpointAt,
    inputsSinceCheckpoint,
    lateFrom,
    hasBacklog,
    version: row.version,
    rulesVersion: row.rulesVersion,
    silentUntil,
    importFrom: row.importFrom,
    stored: {
      lateFrom,
      hasBacklog,
      dueAt: row.dueAt,
      importFrom: row.importFrom,
      state,
    },
  };
}

interface Cached extends StoredState {
  /** Changes with every write of the row. */
  readonly version: number;
  readonly newestAt: number;
}

const MAX_DEVICES = 10_000;

/**
 * The states of devices as they were committed last by this process, so that they need not be read and parsed for every
 * report. A row with another version was written by another process since.
 */
export class StateCache {
  readonly #states = new RecentMap<number, Cached>(MAX_DEVICES);

  find(row: {
    readonly deviceId: number;
    readonly version: number;
    readonly newestAt: number | null;
  }): StoredState | undefined {
    const cached = this.#states.get(row.deviceId);
    return cached?.version === row.version && cached.newestAt === row.newestAt ? cached : undefined;
  }

  /** Only after the commit: a transaction that was rolled back leaves its version to the next one. */
  committed(stateRow: Cached & { readonly deviceId: number }): void {
    const { deviceId, version, newestAt, state, checkpointAt, inputsSinceCheckpoint, silentUntil } = stateRow;
    this.#states.set(deviceId, { version, newestAt, state, checkpointAt, inputsSinceCheckpoint, silentUntil });
  }
}

/** An expression of SQL: whether messages or settings wait for a device. */
const anythingPending = (deviceId: string) => `(
  EXISTS (SELECT 1 FROM "messages" m WHERE m."deviceId" = ${deviceId} {same m."deviceId"} AND m."mobileTerminated" = 1 AND m."sent" IS NULL
    AND m."state" = 'queued')
  OR EXISTS (SELECT 1 FROM "deviceConfigs" c LEFT JOIN "geofences" g ON g."id" = c."safeZoneId"
    WHERE c."deviceId" = ${deviceId} {same c."deviceId"} AND (c."modified" IS NOT NULL OR g."modified" = 1)))`;

/** The statements on `deviceStates` that run with every report. */

const STATE_COLUMNS = `s."deviceId", s."newestAt", s."lateFrom", s."version",
  s."dueAt", s."rulesVersion", s."hasBacklog", s."importFrom", d."name"`;
const FROM_STATES = 'FROM "deviceStates" s JOIN "devices" d ON d."id" = s."deviceId" WHERE d."deletedAt" IS NULL AND';

/** Always in the order of ids, so that transactions cannot wait for each other. */
const locked = (what: string) =>
  idsQuery(`SELECT ${what} ${FROM_STATES} s."deviceId" {ids} {same d."id"} ORDER BY s."deviceId"`, 'FOR UPDATE OF s');
export const LOCK_STATES = locked(`${STATE_COLUMNS}, s."state"`);
export const LOCK_REPORTING = locked(
  `${STATE_COLUMNS}, s."placedUntil", s."keepDays", s."forgottenUntil", d."keyHash", d."active",
    CASE WHEN d."allowKeyless" = 1 AND d."identityPending" = 0 THEN 1 ELSE 0 END AS "isKeyless", d."serial", d."imei", ${anythingPending('d."id"')} AS "hasPending"`,
);
export const READ_STATES = idsQuery('SELECT "deviceId", "state" FROM "deviceStates" WHERE "deviceId" {ids}');

const SAVED_COLUMNS = {
  state: 'text',
  newestAt: 'time',
  version: 'integer',
  reportedAt: 'time',
} as const;
const UNLESS_NULL = { reportedAt: 'COALESCE({new}, "deviceStates"."reportedAt")' };
export const SAVE = updateOf('deviceStates', { ...SAVED_COLUMNS, deviceId: 'integer' }, UNLESS_NULL, {
  by: 'deviceId',
});
const MARKS = { lateFrom: 'time', hasBacklog: 'flag', dueAt: 'time', importFrom: 'time' } as const;
export const SAVE_WITH_MARKS = updateOf(
  'deviceStates',
  { ...SAVED_COLUMNS, ...MARKS, deviceId: 'integer' },
  UNLESS_NULL,
  { by: 'deviceId' },
);
