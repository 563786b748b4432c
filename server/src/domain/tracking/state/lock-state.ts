import { CompiledQuery, type Kysely } from 'kysely';
import { prepareText } from '../../../platform/storage/postgres/prepared-texts.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Tables } from '../../schema/tables.ts';
import { type DeviceState, STATE_FORM, UNHEARD } from '../judge/device-state.ts';
import { anythingPending } from './pending.ts';
import type { StateCache } from './state-cache.ts';

type Tx = Kysely<Tables>;

/** The late mark where nothing is late, but inputs that came in order wait to be judged. */
export const REST_ONLY = Number.MAX_SAFE_INTEGER - 1;

/** The state row of a device, locked until the transaction ends: while one has it, nobody else changes the device. */
export interface LockedState {
  readonly deviceId: number;
  readonly deviceName: string;
  state: DeviceState;
  newest: number;
  checkpointAt: number;
  sinceCheckpoint: number;
  lateFrom: number | null;
  /** Whether inputs that came in order wait to be judged. */
  hasRest: boolean;
  /** Another number whenever something was appended or the row was written. */
  writes: number;
  readonly rules: number;
  /** What happened until then is told nobody. */
  silentUntil: number;
  /** While history is imported: from when on it must be judged; `Number.MAX_SAFE_INTEGER` where it came in order. */
  importFrom: number | null;
  /** As it was when the row was locked. */
  readonly stored: {
    readonly lateFrom: number | null;
    readonly hasRest: boolean;
    readonly dueAt: number | null;
    readonly silentUntil: number;
    readonly importFrom: number | null;
    readonly state: DeviceState;
  };
}

interface StoredState {
  readonly deviceId: number;
  readonly form: number;
  readonly newest: number | null;
  readonly checkpointAt: number | null;
  readonly sinceCheckpoint: number;
  readonly lateFrom: number | null;
  readonly hasRest: number;
  readonly writes: number;
  readonly dueAt: number | null;
  readonly rules: number;
  readonly silentUntil: number | null;
  readonly importFrom: number | null;
  readonly name: string | null;
}

const STATE_COLUMNS = `s."deviceId", s."form", s."newest", s."checkpointAt", s."sinceCheckpoint", s."lateFrom", s."writes",
  s."dueAt", s."rules", s."hasRest", s."silentUntil", s."importFrom", d."name"`;
const FROM_STATES = 'FROM "deviceStates" s JOIN "devices" d ON d."id" = s."deviceId" WHERE d."deletedAt" IS NULL AND';

/** Always in the order of ids, so that transactions cannot wait for each other. On SQLite only one writes at a time. */
const locked = (what: string): Record<StoreKind, string> => ({
  sqlite: `SELECT ${what} ${FROM_STATES} s."deviceId" IN (SELECT "value" FROM json_each(?)) ORDER BY s."deviceId"`,
  postgres: prepareText(
    `SELECT ${what} ${FROM_STATES} s."deviceId" = ANY($1::BIGINT[]) ORDER BY s."deviceId" FOR UPDATE OF s`,
  ),
});
const LOCK_STATES = locked(`${STATE_COLUMNS}, s."state"`);
const LOCK_REPORTING = locked(
  `${STATE_COLUMNS}, s."placedUntil", s."keepDays", s."forgottenUntil", d."keyHash", d."active", ${anythingPending('d."id"')} AS "hasPending"`,
);
const READ_STATES: Record<StoreKind, string> = {
  sqlite: 'SELECT "deviceId", "state" FROM "deviceStates" WHERE "deviceId" IN (SELECT "value" FROM json_each(?))',
  postgres: prepareText('SELECT "deviceId", "state" FROM "deviceStates" WHERE "deviceId" = ANY($1::BIGINT[])'),
};

async function select<R>(
  tx: Tx,
  storeKind: StoreKind,
  texts: Record<StoreKind, string>,
  ids: readonly number[],
): Promise<R[]> {
  const list = storeKind === 'sqlite' ? `[${ids}]` : `{${ids}}`;
  return (await tx.executeQuery<R>(CompiledQuery.raw(texts[storeKind], [list]))).rows;
}

/** Locks the state rows of devices until the transaction ends. A device that was deleted has none. */
export async function lockStates(
  tx: Tx,
  storeKind: StoreKind,
  deviceIds: readonly number[],
): Promise<Map<number, LockedState>> {
  const rows = await select<StoredState & { state: string }>(tx, storeKind, LOCK_STATES, deviceIds);
  return new Map(rows.map((row) => [row.deviceId, rowOf(row, () => JSON.parse(row.state))]));
}

export async function lockState(tx: Tx, storeKind: StoreKind, deviceId: number): Promise<LockedState | undefined> {
  return (await lockStates(tx, storeKind, [deviceId])).get(deviceId);
}

/** The state row of a device as it is committed, not locked; and when the device itself reported last. */
export async function readState(
  query: Kysely<Tables>,
  deviceId: number,
): Promise<(LockedState & { readonly heardAt: number | null }) | undefined> {
  const row = await query
    .selectFrom('deviceStates as s')
    .innerJoin('devices as d', 'd.id', 's.deviceId')
    .select([
      's.deviceId',
      's.form',
      's.newest',
      's.checkpointAt',
      's.sinceCheckpoint',
      's.lateFrom',
      's.hasRest',
      's.writes',
      's.dueAt',
      's.rules',
      's.silentUntil',
      's.importFrom',
      's.state',
      's.heardAt',
      'd.name',
    ])
    .where('s.deviceId', '=', deviceId)
    .where('d.deletedAt', 'is', null)
    .executeTakeFirst();
  return (
    row &&
    Object.assign(
      rowOf(row, () => JSON.parse(row.state)),
      { heardAt: row.heardAt },
    )
  );
}

/** The state row of a device that reports, with what accepting and answering its report needs. */
export interface LockedReportingState extends LockedState {
  /** The hash of the key that it must report with. */
  readonly keyHash: string | null;
  /** Whether its reports are taken. */
  readonly isActive: boolean;
  /** Whether messages or settings wait for it. */
  readonly hasPending: boolean;
  /** Until when it was looked where it is by the gateways that heard it; null where none ever did. */
  readonly placedUntil: number | null;
  /** Days for which its history is stored, where that is shorter than the server says. */
  readonly keepDays: number | null;
  /** Positions before this are forgotten. */
  readonly forgottenUntil: number | null;
}

/** Locks the state rows of devices that report. States that are cached need not be read. */
export async function lockReportingStates(
  tx: Tx,
  storeKind: StoreKind,
  deviceIds: readonly number[],
  cache: StateCache,
): Promise<Map<number, LockedReportingState>> {
  type ReportingRow = StoredState & {
    keyHash: string | null;
    active: number;
    hasPending: number;
    placedUntil: number | null;
    keepDays: number | null;
    forgottenUntil: number | null;
  };
  const rows = await select<ReportingRow>(tx, storeKind, LOCK_REPORTING, deviceIds);
  const uncached = rows.filter((row) => cache.find(row) === undefined).map(({ deviceId }) => deviceId);
  const read =
    uncached.length === 0
      ? []
      : await select<Pick<StoredState, 'deviceId'> & { state: string }>(tx, storeKind, READ_STATES, uncached);
  const states = new Map(read.map(({ deviceId, state }) => [deviceId, state]));
  const stateOf = (row: StoredState) => cache.find(row) ?? (JSON.parse(states.get(row.deviceId)!) as DeviceState);
  return new Map(
    rows.map((row) => [
      row.deviceId,
      {
        ...rowOf(row, () => stateOf(row)),
        keyHash: row.keyHash,
        isActive: row.active !== 0,
        hasPending: row.hasPending !== 0,
        placedUntil: row.placedUntil,
        keepDays: row.keepDays,
        forgottenUntil: row.forgottenUntil,
      },
    ]),
  );
}

function rowOf(row: StoredState, stateOf: () => DeviceState): LockedState {
  const isCurrent = row.form === STATE_FORM;
  // A state of another form, where there was one, is rebuilt from the beginning.
  const lateFrom = isCurrent || row.newest === null ? row.lateFrom : 0;
  const state = isCurrent ? stateOf() : UNHEARD;
  const hasRest = isCurrent && row.hasRest !== 0;
  const silentUntil = row.silentUntil ?? Number.NEGATIVE_INFINITY;
  return {
    deviceId: row.deviceId,
    deviceName: row.name ?? `Device ${row.deviceId}`,
    state,
    newest: row.newest ?? Number.NEGATIVE_INFINITY,
    checkpointAt: row.checkpointAt ?? Number.NEGATIVE_INFINITY,
    sinceCheckpoint: row.sinceCheckpoint,
    lateFrom,
    hasRest,
    writes: row.writes,
    rules: row.rules,
    silentUntil,
    importFrom: row.importFrom,
    stored: {
      lateFrom: row.lateFrom,
      hasRest: row.hasRest !== 0,
      dueAt: row.dueAt,
      silentUntil,
      importFrom: row.importFrom,
      state,
    },
  };
}
