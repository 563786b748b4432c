import type { Kysely } from 'kysely';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { replaceSegments } from '../positions/pack.ts';
import type { PackedPosition } from '../positions/packed-positions.ts';
import { positions } from '../positions/positions.ts';
import { DAY_MS, segmentsWithin, startOfDay } from '../positions/segments.ts';
import { deletePositions } from '../positions/write.ts';
import type { Tables } from '../schema/tables.ts';
import type { LockedState } from '../tracking/state/lock-state.ts';
import { newestIds } from './forget-positions.ts';
import { saveSettled, settledUntil } from './settle-states.ts';

type Tx = Kysely<Tables>;

/** One position is kept of so many milliseconds. */
export const THINNED_MS = 30_000;
const MOST_OF_DAY = 100_000;
const AT_ONCE = 500;

/** What a position is kept for. */
export type ThinnedPosition = Pick<
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
 * Which positions, in the order of time, are dropped: those within 30 seconds after one that is kept. Those stay that say
 * more than where the device was, and those where trips and stops begin and end.
 */
export function droppedOf(all: readonly ThinnedPosition[], edges: ReadonlySet<number>): number[] {
  const dropped: number[] = [];
  let keptAt = Number.NEGATIVE_INFINITY;
  for (const position of all) {
    const { id, timestamp, alertType, stringValue, num_value } = position;
    const isTelling = alertType !== null || stringValue !== null || num_value !== null || edges.has(timestamp);
    const isFix = position.locationLat !== null && position.locationType !== 'invalid' && position.judged === null;
    if (isFix && timestamp - keptAt >= THINNED_MS) keptAt = timestamp;
    else if (!isTelling) dropped.push(id);
  }
  return dropped;
}

/** Thins the next day of a device that has positions from before a time; how many were dropped. */
export async function thinPositions(
  tx: Tx,
  storeKind: StoreKind,
  stateRow: LockedState,
  cut: number,
): Promise<{ readonly removed: number; readonly isMore: boolean }> {
  const { deviceId } = stateRow;
  const { thinnedUntil } = await tx
    .selectFrom('deviceStates')
    .select('thinnedUntil')
    .where('deviceId', '=', deviceId)
    .executeTakeFirstOrThrow();
  const until = await settledUntil(tx, stateRow, cut);
  const from = thinnedUntil ?? 0;
  if (from >= until) return { removed: 0, isMore: false };
  const span = { deviceId, to: until - 1 };
  const [first] = await positions(tx, { ...span, from, columns: ['timestamp'], limit: 1 });
  if (first === undefined || (await waitsForTrips(tx, deviceId, until))) return { removed: 0, isMore: false };
  await saveSettled(tx, storeKind, stateRow, until);
  const day = {
    from: Math.max(from, startOfDay(first.timestamp)),
    to: Math.min(startOfDay(first.timestamp) + DAY_MS, until) - 1,
  };
  const all = await positions(tx, { deviceId, ...day, columns: COLUMNS, limit: MOST_OF_DAY });
  const kept = new Set(await newestIds(tx, deviceId));
  const dropped = new Set(droppedOf(all, await edgesOf(tx, deviceId, day)).filter((id) => !kept.has(id)));
  if (dropped.size > 0) {
    for (const segment of await segmentsWithin(tx, deviceId, day).select('first').execute())
      await replaceSegments(tx, deviceId, segment, ({ id }) => !dropped.has(id));
    const ids = [...dropped];
    for (let start = 0; start < ids.length; start += AT_ONCE)
      await deletePositions(tx, storeKind, ids.slice(start, start + AT_ONCE));
  }
  await tx
    .updateTable('deviceStates')
    .set({ thinnedUntil: day.to + 1 })
    .where('deviceId', '=', deviceId)
    .execute();
  return { removed: dropped.size, isMore: true };
}

/** The ways of trips are packed first, of all their positions. */
const waitsForTrips = async (tx: Tx, deviceId: number, until: number) =>
  (await tx
    .selectFrom('trips')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where('track', 'is', null)
    .where('start', '<', until)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** When trips and stops began and ended. */
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
