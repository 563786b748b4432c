import type { Kysely } from 'kysely';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { NOT_PACKED } from '../motion/trip-track.ts';
import { keepNewest, replaceSegments } from '../positions/pack.ts';
import { segmentsWithin } from '../positions/segments.ts';
import { deletePositions } from '../positions/write.ts';
import { slotOf } from '../schema/slot.ts';
import type { Tables } from '../schema/tables.ts';
import type { LockedState } from '../tracking/state/lock-state.ts';
import { saveSettled, settledUntil } from './settle-states.ts';

type Tx = Kysely<Tables>;

/** At most this many in one transaction, so that reports do not wait. */
const ROWS = 500;
const SEGMENTS = 30;
const TRIPS = 300;

interface ForgettingOfPositions {
  readonly cut: number;
  /** Packed positions of times before need not be deleted: the parts of the table that they lie in will be dropped. */
  readonly droppedUntil?: number | undefined;
}

/** Forgets some positions of a device from before a time, in all forms in which they are stored; how many that were. */
export async function forgetPositions(
  tx: Tx,
  storeKind: StoreKind,
  stateRow: LockedState,
  { cut, droppedUntil = Number.MIN_SAFE_INTEGER }: ForgettingOfPositions,
): Promise<{ readonly removed: number; readonly isMore: boolean }> {
  const { deviceId } = stateRow;
  const until = await settledUntil(tx, stateRow, cut);
  await keepNewest(tx, storeKind, deviceId);
  const dropped = await countDropped(tx, deviceId, Math.min(until, droppedUntil));
  const segments = await forgetSegments(tx, deviceId, { until, droppedUntil });
  const rows = await forgetRows(tx, storeKind, deviceId, until);
  const tracks = await forgetTracks(tx, deviceId, until);
  const removed = dropped + segments.positions + rows;
  if (removed + tracks > 0) {
    await saveSettled(tx, storeKind, stateRow, until);
    await tx
      .updateTable('deviceStates')
      .set({ forgottenUntil: until })
      .where('deviceId', '=', deviceId)
      .where((when) => when.or([when('forgottenUntil', 'is', null), when('forgottenUntil', '<', until)]))
      .execute();
  }
  return { removed, isMore: segments.count === SEGMENTS || rows === ROWS || tracks === TRIPS };
}

/** Those that are forgotten as soon as it is noted; they are counted once. */
async function countDropped(tx: Tx, deviceId: number, until: number): Promise<number> {
  if (until === Number.MIN_SAFE_INTEGER) return 0;
  const noted = await tx
    .selectFrom('deviceStates')
    .select('forgottenUntil')
    .where('deviceId', '=', deviceId)
    .executeTakeFirstOrThrow();
  const { positions } = await segmentsWithin(tx, deviceId, { from: noted.forgottenUntil ?? 0, to: until - 1 })
    .select(({ fn }) => fn.sum<number | null>('count').as('positions'))
    .where('last', '<', until)
    .executeTakeFirstOrThrow();
  return Number(positions ?? 0);
}

async function forgetSegments(
  tx: Tx,
  deviceId: number,
  { until, droppedUntil }: { readonly until: number; readonly droppedUntil: number },
): Promise<{ readonly count: number; readonly positions: number }> {
  const old = await segmentsWithin(tx, deviceId, { from: 0, to: until - 1 })
    .select(['first', 'last', 'count'])
    .where((when) => when.or([when('first', '>=', droppedUntil), when('last', '>=', until)]))
    .orderBy('first')
    .limit(SEGMENTS)
    .execute();
  const whole = old.filter(({ last }) => last < until);
  if (whole.length > 0)
    await tx
      .deleteFrom('segments')
      .where('slot', '=', slotOf(deviceId))
      .where('deviceId', '=', deviceId)
      .where(
        'first',
        'in',
        whole.map(({ first }) => first),
      )
      .execute();
  const cutOff = old.find(({ last }) => last >= until);
  const removed =
    cutOff === undefined ? 0 : await replaceSegments(tx, deviceId, cutOff, (one) => one.timestamp >= until);
  return { count: old.length, positions: whole.reduce((sum, { count }) => sum + count, 0) + removed };
}

/** The newest stay, whatever their age: they say where the device is. */
export async function newestIds(tx: Tx, deviceId: number): Promise<number[]> {
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

async function forgetRows(tx: Tx, storeKind: StoreKind, deviceId: number, until: number): Promise<number> {
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
    storeKind,
    old.map(({ id }) => id),
  );
}

/** Trips stay, but not the way they took: it repeats positions. */
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
