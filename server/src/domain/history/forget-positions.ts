import { NOT_PACKED } from '../motion/trip-track.ts';
import { keepNewest, replaceSegments } from '../positions/pack.ts';
import type { PackedPosition } from '../positions/packed-positions.ts';
import { positions } from '../positions/positions.ts';
import { DAY_MS, segmentsWithin, startOfDay } from '../positions/segments.ts';
import { deletePositions } from '../positions/write.ts';
import { getRow } from '../rows.ts';
import type { Tx } from '../schema/tables.ts';
import type { LockedState } from '../tracking/state/lock-state.ts';
import { saveSettled, settledUntil } from './settle-states.ts';

/** Maximum number of rows in one transaction, so that reports do not wait. */
const ROWS = 500;
const SEGMENTS = 30;
const TRIPS = 300;

interface ForgettingOfPositions {
  readonly cut: number;
  /** Earlier packed positions need not be deleted: their partitions will be dropped. */
  readonly droppedUntil?: number | undefined;
}

/** Deletes some positions of a device before a time, in all storage formats. Returns their number. */
export async function forgetPositions(
  tx: Tx,
  stateRow: LockedState,
  { cut, droppedUntil = Number.MIN_SAFE_INTEGER }: ForgettingOfPositions,
): Promise<{ readonly removed: number; readonly isMore: boolean }> {
  const { deviceId } = stateRow;
  const until = await settledUntil(tx, stateRow, cut);
  await keepNewest(tx, deviceId);
  const dropped = await countDropped(tx, deviceId, Math.min(until, droppedUntil));
  const segments = await forgetSegments(tx, deviceId, { until, droppedUntil });
  const rows = await forgetRows(tx, deviceId, until);
  const tracks = await forgetTracks(tx, deviceId, until);
  const removed = dropped + segments.positions + rows;
  if (removed + tracks > 0) {
    await saveSettled(tx, stateRow, until);
    await tx
      .updateTable('deviceStates')
      .set({ forgottenUntil: until })
      .where('deviceId', '=', deviceId)
      .where((when) => when.or([when('forgottenUntil', 'is', null), when('forgottenUntil', '<', until)]))
      .execute();
  }
  return { removed, isMore: segments.count === SEGMENTS || rows === ROWS || tracks === TRIPS };
}

/** Positions that are dropped later; they are counted once. */
async function countDropped(tx: Tx, deviceId: number, until: number): Promise<number> {
  if (until === Number.MIN_SAFE_INTEGER) return 0;
  const noted = await getRow(tx, 'deviceStates', { deviceId }, ['forgottenUntil']);
  const { positions } = await segmentsWithin(tx, deviceId, { from: noted.forgottenUntil ?? 0, to: until - 1 })
    .select(({ fn }) => fn.sum<number | null>('count').as('positions'))
    .where('lastAt', '<', until)
    .executeTakeFirstOrThrow();
  return Number(positions ?? 0);
}

async function forgetSegments(
  tx: Tx,
  deviceId: number,
  { until, droppedUntil }: { readonly until: number; readonly droppedUntil: number },
): Promise<{ readonly count: number; readonly positions: number }> {
  const old = await segmentsWithin(tx, deviceId, { from: 0, to: until - 1 })
    .select(['firstAt', 'lastAt', 'count'])
    .where((when) => when.or([when('firstAt', '>=', droppedUntil), when('lastAt', '>=', until)]))
    .orderBy('firstAt')
    .limit(SEGMENTS)
    .execute();
  const whole = old.filter(({ lastAt }) => lastAt < until);
  if (whole.length > 0)
    await tx
      .deleteFrom('positionSegments')
      .where('deviceId', '=', deviceId)
      .where(
        'firstAt',
        'in',
        whole.map(({ firstAt }) => firstAt),
      )
      .execute();
  const cutOff = old.find(({ lastAt }) => lastAt >= until);
  const removed =
    cutOff === undefined ? 0 : await replaceSegments(tx, deviceId, cutOff, (one) => one.timestamp >= until);
  return { count: old.length, positions: whole.reduce((sum, { count }) => sum + count, 0) + removed };
}

/** The newest stay regardless of their age: they are the current position of the device. */
async function newestIds(tx: Tx, deviceId: number): Promise<number[]> {
  const newest = tx
    .selectFrom('points')
    .select('id')
    .where('deviceId', '=', deviceId)
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(1);
  const placed = newest.where('locationLat', 'is not', null);
  const found = [
    await newest.executeTakeFirst(),
    await placed.executeTakeFirst(),
    await placed.where('locationType', '!=', 'invalid').executeTakeFirst(),
  ];
  return [...new Set(found.flatMap((one) => (one ? [one.id] : [])))];
}

async function forgetRows(tx: Tx, deviceId: number, until: number): Promise<number> {
  const kept = await newestIds(tx, deviceId);
  const old = await tx
    .selectFrom('points')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where('timestamp', '<', until)
    .$if(kept.length > 0, (rows) => rows.where('id', 'not in', kept))
    .orderBy('timestamp')
    .limit(ROWS)
    .execute();
  return deletePositions(
    tx,
    old.map(({ id }) => id),
  );
}

/** Trips stay, but not their tracks, which repeat positions. */
async function forgetTracks(tx: Tx, deviceId: number, until: number): Promise<number> {
  const old = await tx
    .selectFrom('trips')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where('start', '<', until)
    .where('end', '<', until)
    .where((when) => when.or([when('track', 'is', null), when('track', '!=', NOT_PACKED)]))
    .limit(TRIPS)
    .execute();
  if (old.length > 0)
    await tx
      .updateTable('trips')
      .set({ track: NOT_PACKED })
      .where('deviceId', '=', deviceId)
      .where(
        'id',
        'in',
        old.map(({ id }) => id),
      )
      .execute();
  return old.length;
}

/** One position is kept per this many milliseconds. */
export const THINNED_MS = 30_000;
const MOST_OF_DAY = 100_000;
const AT_ONCE = 500;

/** The fields that decide whether a position is kept. */
type ThinnedPosition = Pick<
  PackedPosition,
  'id' | 'timestamp' | 'locationLat' | 'locationType' | 'judged' | 'alertType' | 'stringValue' | 'num_value'
>;

const COLUMNS = [
  'id',
  'timestamp',
  'locationLat',
  'locationType',
  'judged',
  'alertType',
  'stringValue',
  'num_value',
] as const satisfies readonly (keyof ThinnedPosition)[];

/**
 * The positions to drop, in order of time: those within 30 seconds after a kept one. Positions with more information
 * than the place stay, and those at the start or end of trips and stops.
 */
function droppedOf(all: readonly ThinnedPosition[], edges: ReadonlySet<number>): number[] {
  const dropped: number[] = [];
  let keptAt = Number.NEGATIVE_INFINITY;
  for (const position of all) {
    const { id, timestamp, alertType, stringValue, num_value } = position;
    const isInformative = alertType !== null || stringValue !== null || num_value !== null || edges.has(timestamp);
    const isFix = position.locationLat !== null && position.locationType !== 'invalid' && position.judged === null;
    if (isFix && timestamp - keptAt >= THINNED_MS) keptAt = timestamp;
    else if (!isInformative) dropped.push(id);
  }
  return dropped;
}

/** Thins the next day of a device with positions before a time. Returns the number of dropped ones. */
export async function thinPositions(
  tx: Tx,
  stateRow: LockedState,
  cut: number,
): Promise<{ readonly removed: number; readonly isMore: boolean }> {
  const { deviceId } = stateRow;
  const { thinnedUntil } = await getRow(tx, 'deviceStates', { deviceId }, ['thinnedUntil']);
  const until = await settledUntil(tx, stateRow, cut);
  const from = thinnedUntil ?? 0;
  if (from >= until) return { removed: 0, isMore: false };
  const span = { deviceId, to: until - 1 };
  const [first] = await positions(tx, { ...span, from, columns: ['timestamp'], limit: 1 });
  if (first === undefined || (await waitsForTrips(tx, deviceId, until))) return { removed: 0, isMore: false };
  await saveSettled(tx, stateRow, until);
  const day = {
    from: Math.max(from, startOfDay(first.timestamp)),
    to: Math.min(startOfDay(first.timestamp) + DAY_MS, until) - 1,
  };
  const all = await positions(tx, { deviceId, ...day, columns: COLUMNS, limit: MOST_OF_DAY });
  const kept = new Set(await newestIds(tx, deviceId));
  const dropped = new Set(droppedOf(all, await edgesOf(tx, deviceId, day)).filter((id) => !kept.has(id)));
  if (dropped.size > 0) {
    for (const segment of await segmentsWithin(tx, deviceId, day).select('firstAt').execute())
      await replaceSegments(tx, deviceId, segment, ({ id }) => !dropped.has(id));
    const ids = [...dropped];
    for (let start = 0; start < ids.length; start += AT_ONCE)
      await deletePositions(tx, ids.slice(start, start + AT_ONCE));
  }
  await tx
    .updateTable('deviceStates')
    .set({ thinnedUntil: day.to + 1 })
    .where('deviceId', '=', deviceId)
    .execute();
  return { removed: dropped.size, isMore: true };
}

/** Tracks of trips are packed first, from all their positions. */
const waitsForTrips = async (tx: Tx, deviceId: number, until: number) =>
  (await tx
    .selectFrom('trips')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where('track', 'is', null)
    .where('start', '<', until)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** The start and end times of trips and stops. */
async function edgesOf(
  tx: Tx,
  deviceId: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Set<number>> {
  const edges = new Set<number>();
  for (const table of ['trips', 'stops'] as const) {
    const rows = await tx
      .selectFrom(table)
      .select(['start', 'end'])
      .where('deviceId', '=', deviceId)
      .where('start', '<=', to)
      .where('end', '>=', from)
      .execute();
    for (const { start, end } of rows) edges.add(start).add(end);
  }
  return edges;
}
