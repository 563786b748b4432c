import type { Kysely, Selectable, SelectQueryBuilder } from 'kysely';
import { insertOf, queryRows, runRows } from '../../platform/storage/bulk.ts';
import { isOwned, type OwnedDevices } from '../schema/owned-devices.ts';
import type { ReadingRelayRow } from '../schema/rows/tracking-rows.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { readingInput } from './evaluate/inputs.ts';
import { evaluate, record, sendEvaluated } from './intake/evaluate.ts';
import { FIND_KNOWN, REMEMBER } from './intake/keep-once.ts';
import { noteSightings, type PlaceElsewhere } from './intake/sensors.ts';
import { type DeviceBatch, emptyBatch } from './report/device-batch.ts';
import { lockReportingStates, StateCache } from './state/lock-state.ts';
import { notePlaces, type TouchedPlace } from './state/place-due.ts';
import type { RulesCache } from './state/rules-cache.ts';

/**
 * Where rows are distributed, a gateway and a device that it reports about can be at different servers, and one transaction
 * at both would be committed in two phases. So the transaction of the gateway stages the readings in its own shard, and
 * another one evaluates them at the server of the device right after. That one records the evaluated rows in
 * `receivedItems`: if a process dies before it has deleted the staged rows, the next one evaluates nothing twice.
 */

type Tx = Kysely<Tables>;
type RelayedRow = Selectable<ReadingRelayRow>;

interface Relayed {
  readonly readings: DeviceBatch['readings'];
  readonly places: readonly TouchedPlace[];
}

export const STAGE = insertOf(
  'readingRelay',
  {
    deviceId: 'integer',
    otherDeviceId: 'integer',
    content: 'text',
    created: 'time',
  },
  'deviceId',
);

/** What a transaction of a gateway leaves to one of the device: its readings, and where to look at its place again. */
export async function stageReadings(
  tx: Tx,
  gateways: readonly Pick<DeviceBatch, 'deviceId' | 'readings'>[],
  places: readonly PlaceElsewhere[],
  { isElsewhere, now }: { readonly isElsewhere: (deviceId: number) => boolean; readonly now: number },
): Promise<number[]> {
  const rows = gateways.flatMap(({ deviceId, readings }) => {
    const of = Map.groupBy(readings, (reading) => reading.deviceId);
    const touched = Map.groupBy(
      places.filter(({ gatewayId }) => gatewayId === deviceId),
      (place) => place.deviceId,
    );
    const others = [...new Set([...of.keys(), ...touched.keys()])].filter((id) => id !== null && isElsewhere(id));
    return others.map((id) => {
      const relayed: Relayed = { readings: of.get(id) ?? [], places: touched.get(id!) ?? [] };
      return [deviceId, id, JSON.stringify(relayed), now];
    });
  });
  await runRows(tx, STAGE, rows);
  return [...new Set(rows.map(([deviceId]) => deviceId as number))];
}

interface ReadingRelayOptions {
  readonly windowMs: number;
  /** How much one transaction evaluates, see `Budget`. */
  readonly units: number;
  /** Called once something was evaluated. */
  readonly evaluated: (done: RelayedOutcome) => void;
}

interface RelayedOutcome {
  /** The devices that have a late mark. */
  readonly late: readonly number[];
  /** Devices with messages to send. */
  readonly outgoing: readonly number[];
}

/** Rows that are read at a time. */
const AT_ONCE = 200;
/** What a live process staged is evaluated by itself. */
const LEFT_BEHIND_MS = 10_000;
/** For how long it is remembered what was evaluated. */
const REMEMBERED_MS = 7 * 86_400_000;

/** Evaluates staged readings in the order of staging. */
export async function relayReadings(
  store: Store,
  rulesCache: RulesCache,
  gatewayIds: readonly number[],
  options: ReadingRelayOptions,
): Promise<void> {
  for (const gatewayId of gatewayIds)
    await relayRows(store, rulesCache, stagedIn(store).where('deviceId', '=', gatewayId), options);
}

/** Evaluates what processes staged that died, or failed, before they could evaluate it. */
export async function relayLeftReadings(
  store: Store,
  rulesCache: RulesCache,
  owned: OwnedDevices,
  options: ReadingRelayOptions & { readonly now: number },
): Promise<void> {
  if (!store.dialect.isDistributed) return;
  const left = stagedIn(store)
    .where(isOwned('deviceId', owned.now()))
    .where('created', '<=', options.now - LEFT_BEHIND_MS);
  await relayRows(store, rulesCache, left, options);
}

const stagedIn = (store: Store) => store.query.selectFrom('readingRelay').selectAll().orderBy('id').limit(AT_ONCE);

async function relayRows(
  store: Store,
  rulesCache: RulesCache,
  staged: SelectQueryBuilder<Tables, 'readingRelay', RelayedRow>,
  options: ReadingRelayOptions,
): Promise<void> {
  for (;;) {
    const rows = await staged.execute();
    for (const ofServer of Map.groupBy(rows, ({ otherDeviceId }) => store.dialect.shardOf?.(otherDeviceId)).values())
      options.evaluated(await store.transaction((tx) => evaluateRelayed(tx, rulesCache, ofServer, options)));
    for (const [gatewayId, ofGateway] of Map.groupBy(rows, ({ deviceId }) => deviceId)) {
      const ids = ofGateway.map(({ id }) => id);
      await store.query.deleteFrom('readingRelay').where('deviceId', '=', gatewayId).where('id', 'in', ids).execute();
    }
    if (rows.length < AT_ONCE) return;
  }
}

const keyOf = ({ otherDeviceId, id }: RelayedRow) => [otherDeviceId, `relayed ${id}`] as const;

/** In one transaction at the server of the devices. */
async function evaluateRelayed(
  tx: Tx,
  rulesCache: RulesCache,
  all: readonly RelayedRow[],
  { windowMs, units }: ReadingRelayOptions,
): Promise<RelayedOutcome> {
  const states = await lockReportingStates(tx, [...new Set(all.map((row) => row.otherDeviceId))], new StateCache());
  const found = await queryRows<{ deviceId: number; hash: string }>(
    tx,
    FIND_KNOWN,
    all.map((row) => [...keyOf(row), 0]),
  );
  const known = new Set(found.map(({ deviceId, hash }) => `${deviceId} ${hash}`));
  const rows = all.filter((row) => states.has(row.otherDeviceId) && !known.has(keyOf(row).join(' ')));
  if (rows.length === 0) return { late: [], outgoing: [] };
  const now = Math.max(...rows.map(({ created }) => created));
  const devices = new Map<number, DeviceBatch>();
  const touched: TouchedPlace[] = [];
  for (const { otherDeviceId, content, created } of rows) {
    const { readings, places } = JSON.parse(content) as Relayed;
    touched.push(...places);
    const device = devices.get(otherDeviceId) ?? emptyBatch(states.get(otherDeviceId)!);
    devices.set(otherDeviceId, device);
    for (const reading of readings) {
      device.readings.push(reading);
      if (reading.timestamp >= created - windowMs) device.inputs.push(readingInput(reading));
    }
  }
  await noteSightings(tx, devices, { now, tooOld: now - windowMs, newestBefore: new Map() });
  if (touched.length > 0) await notePlaces(tx, touched);
  const batches = [...devices.values()];
  const evaluated = await evaluate(batches, { units, rulesFor: rulesCache.reading(now).of });
  await record(tx, evaluated, rulesCache.policy, now);
  const outgoing = await sendEvaluated(tx, evaluated, rulesCache.policy, now);
  await runRows(
    tx,
    REMEMBER,
    rows.map((row) => [...keyOf(row), row.created + REMEMBERED_MS]),
  );
  return {
    late: batches.filter(({ stateRow }) => stateRow.lateFrom !== null).map(({ deviceId }) => deviceId),
    outgoing,
  };
}
