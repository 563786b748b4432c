import type { Kysely } from 'kysely';
import { byTime } from '../../platform/packing/with-packed.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { slotOf } from '../schema/slot.ts';
import type { Tables } from '../schema/tables.ts';
import { type PackedPosition, unpackPositions } from './packed-positions.ts';
import { DAY_MS, segmentsOf, segmentsWithin, startOfDay } from './segments.ts';
import type { StoredPosition } from './stored-position.ts';
import { deletePositions } from './write.ts';

/**
 * Stores positions of old days packed, without being rows first. What the device has of these days as rows is packed with
 * them. Whoever stores has the lock of the device, and has left out what is stored already.
 */

type Tx = Kysely<Tables>;

/** A segment with fewer positions is opened for more of its day; beside a larger one they get a segment of their own. */
const WORTH_OPENING = 1000;
const AT_ONCE = 500;

interface Span {
  readonly from: number;
  readonly to: number;
}

interface KnownSegment {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

export interface NewPacked {
  readonly positions: readonly PackedPosition[];
  /** Rows from this time on stay rows. */
  readonly rowsBefore: number;
  /** A day of which there may be rows, beside those of the positions. */
  readonly besides?: number;
}

export async function storePacked(
  tx: Tx,
  storeKind: StoreKind,
  deviceId: number,
  { positions, rowsBefore, besides }: NewPacked,
): Promise<void> {
  const days = new Map<number, PackedPosition[]>();
  const add = (position: PackedPosition) => {
    const day = startOfDay(position.timestamp);
    const known = days.get(day);
    if (known) known.push(position);
    else days.set(day, [position]);
  };
  for (const position of positions) add(position);
  for (const day of [...new Set([...days.keys(), ...(besides === undefined ? [] : [startOfDay(besides)])])])
    for (const row of await takeRows(tx, storeKind, deviceId, {
      from: day,
      to: Math.min(day + DAY_MS, rowsBefore) - 1,
    }))
      add(row);
  for (const [day, ofDay] of days) await storeDay(tx, deviceId, day, ofDay);
}

/** Takes rows away; what was in them. */
async function takeRows(tx: Tx, storeKind: StoreKind, deviceId: number, { from, to }: Span): Promise<StoredPosition[]> {
  if (to < from) return [];
  const rows = (await tx
    .selectFrom('points')
    .selectAll()
    .where('deviceId', '=', deviceId)
    .where('timestamp', '>=', from)
    .where('timestamp', '<=', to)
    .execute()) as StoredPosition[];
  let deleted = 0;
  for (let start = 0; start < rows.length; start += AT_ONCE)
    deleted += await deletePositions(
      tx,
      storeKind,
      rows.slice(start, start + AT_ONCE).map(({ id }) => id),
    );
  if (deleted !== rows.length) throw new Error('Positions that were to be packed are gone.');
  return rows;
}

async function storeDay(tx: Tx, deviceId: number, day: number, positions: readonly PackedPosition[]): Promise<void> {
  const sorted = positions.toSorted(byTime);
  const ofDay = { from: day, to: day + DAY_MS - 1 };
  const known = await segmentsWithin(tx, deviceId, ofDay).select(['first', 'last', 'count']).orderBy('first').execute();
  const opened = toOpen(known, { from: sorted[0]!.timestamp, to: sorted.at(-1)!.timestamp });
  const packed = await takeSegments(tx, deviceId, opened);
  const all = packed.length === 0 ? sorted : [...packed, ...sorted].sort(byTime);
  for (const segment of segmentsOf(deviceId, all)) await tx.insertInto('segments').values(segment).execute();
}

/** Segments never overlap: those that the span reaches into are opened, and the small ones next to it. */
function toOpen(known: readonly KnownSegment[], { from, to }: Span): KnownSegment[] {
  const isSmall = (segment: KnownSegment | undefined) => segment !== undefined && segment.count < WORTH_OPENING;
  const before = known.findLast(({ last }) => last < from);
  const after = known.find(({ first }) => first > to);
  return known.filter(
    (segment) =>
      (segment.first <= to && segment.last >= from) ||
      (segment === before && isSmall(before)) ||
      (segment === after && isSmall(after)),
  );
}

/** Takes segments away; what was in them. */
export async function takeSegments(
  tx: Tx,
  deviceId: number,
  segments: readonly Pick<KnownSegment, 'first'>[],
): Promise<PackedPosition[]> {
  if (segments.length === 0) return [];
  const taken = await tx
    .deleteFrom('segments')
    .where('slot', '=', slotOf(deviceId))
    .where('deviceId', '=', deviceId)
    .where(
      'first',
      'in',
      segments.map(({ first }) => first),
    )
    .returning('data')
    .execute();
  return taken.flatMap(({ data }) => unpackPositions(data));
}
