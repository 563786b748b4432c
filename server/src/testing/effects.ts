import { packTrack, trackOf } from '../domain/motion/trip-track.ts';
import { IDENTITY_COLUMNS, identityOf } from '../domain/positions/identity.ts';
import { positions } from '../domain/positions/positions.ts';
import type { Store } from '../domain/schema/tables.ts';
import { RulesCache } from '../domain/tracking/state/rules-cache.ts';
import { fixesOf, readFixes } from '../domain/tracking/state/trip-fixes.ts';
import { decideDue } from '../domain/tracking/timers/due.ts';
import { createLog } from '../platform/log.ts';

/**
 * Everything that followed from the reports of devices, without what depends on the order of arrival: two stores that
 * received the same reports have the same effects.
 */
export interface RecordedEffects {
  /** Device, mark and identity of each point. */
  readonly points: readonly string[];
  readonly readings: readonly string[];
  readonly trips: readonly string[];
  /** Trips whose track differs from their positions: none, whatever happened. */
  readonly wrongTracks: readonly string[];
  readonly stops: readonly string[];
  readonly ignition: readonly string[];
  /** Notifications that are not retracted. */
  readonly notifications: readonly string[];
  readonly states: readonly string[];
}

export async function effectsIn(store: Store): Promise<RecordedEffects> {
  const devices = await store.query.selectFrom('deviceStates').select('deviceId').execute();
  const columns = ['id', 'deviceId', 'judged', ...IDENTITY_COLUMNS] as const;
  const all = { from: 0, to: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER, columns };
  const points = (
    await Promise.all(devices.map(({ deviceId }) => positions(store.query, { ...all, deviceId })))
  ).flat();
  const timeOf = new Map(points.map(({ id, timestamp }) => [id, timestamp]));
  const readings = await store.query.selectFrom('gatewayReadings').select(['deviceId', 'timestamp', 'hash']).execute();
  const trips = await store.query.selectFrom('trips').selectAll().execute();
  const stops = await store.query.selectFrom('stops').selectAll().execute();
  const ignition = await store.query.selectFrom('ignitionChanges').select(['deviceId', 'at', 'isOn']).execute();
  const notifications = await store.query
    .selectFrom('notifications')
    .select(['deviceId', 'triggerId', 'zoneId', 'kind', 'timestamp', 'decidedAt'])
    .where('status', '=', 'valid')
    .execute();
  const states = await store.query.selectFrom('deviceStates').select(['deviceId', 'state', 'lateFrom']).execute();
  // Ids of points depend on the order of arrival; their times do not.
  const withTimes = (state: string) =>
    withoutProgress(state).replaceAll(
      /"(\w*[pP]ointId)":\s*(\d+)/g,
      (_all, name, id) => `"${name}":${timeOf.get(Number(id))}`,
    );
  return {
    points: stateRows(
      points.map(({ deviceId, judged, ...point }) => ({
        deviceId,
        timestamp: point.timestamp,
        judged,
        identity: identityOf(point),
      })),
    ),
    readings: stateRows(readings),
    trips: stateRows(
      trips.map(({ id: _, track: __, startPointId, endPointId, ...trip }) => ({
        ...trip,
        from: timeOf.get(startPointId),
        to: timeOf.get(endPointId),
      })),
    ),
    wrongTracks: stateRows(await wrongTracks(store, trips)),
    stops: stateRows(stops.map(({ id: _, ...stop }) => stop)),
    ignition: stateRows(ignition),
    notifications: stateRows(notifications),
    states: stateRows(states.map(({ state, ...row }) => ({ ...row, state: withTimes(state) }))),
  };
}

/** When checkpoints are made depends on the order of arrival. */
const withoutProgress = (state: string) =>
  state.replaceAll(/,"(inputsSinceCheckpoint|checkpointAt|silentUntil)":-?\d+/g, '');

type PackedTrip = Readonly<Record<'deviceId' | 'start' | 'end', number>> & { readonly track: string | null };

async function wrongTracks(store: Store, trips: readonly PackedTrip[]): Promise<object[]> {
  const wrong: object[] = [];
  for (const { deviceId, start, end, track } of trips) {
    if (!track) continue;
    const fixes = await readFixes(store.query, { deviceId, from: start, to: end });
    if (packTrack(trackOf(fixesOf(fixes)), start) !== track) wrong.push({ deviceId, start, end, track });
  }
  return wrong;
}

const stateRows = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();

/** Whether no replay is queued and no due time has passed. */
export async function isSettled(store: Store, now: number): Promise<boolean> {
  const open = await store.query
    .selectFrom('deviceStates')
    .select('deviceId')
    .where((when) => when.or([when('lateFrom', 'is not', null), when('dueAt', '<=', now)]))
    .execute();
  return open.length === 0;
}

/** Whether no device is queued for a replay. */
export async function isEvaluated(store: Store): Promise<boolean> {
  const open = await store.query
    .selectFrom('deviceStates')
    .select('deviceId')
    .where('lateFrom', 'is not', null)
    .limit(1)
    .execute();
  return open.length === 0;
}

/** Applies all due times until a moment, as if no device reported any more. */
export async function letClockDecide(store: Store, until: number): Promise<void> {
  const rulesCache = new RulesCache(store, Number.MAX_SAFE_INTEGER);
  await decideDue(store, rulesCache, until, { log: createLog('error'), goOn: () => true, fired: () => {} });
}
