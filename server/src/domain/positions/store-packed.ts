import type { Kysely } from 'kysely';
import { byTime } from '../../platform/packing/with-packed.ts';
import type { Tables } from '../schema/tables.ts';
import { type PackedPosition, type StoredPosition, unpackPositions } from './packed-positions.ts';
import { DAY_MS, segmentsOf, segmentsWithin, startOfDay } from './segments.ts';
import { deletePositions } from './write.ts';

/**
 * Stores positions of old days packed, directly, without writing rows first. Rows of the same days are packed with
 * them. The caller holds the lock of the device and has removed positions that are stored already.
 */

type Tx = Kysely<Tables>;

/**
 * A segment with fewer positions is extended with more positions of its day. Next to a larger one, a new segment is
 * created.
 */
const WORTH_OPENING = 1000;
const AT_ONCE = 500;

interface Span {
  readonly from: number;
  readonly to: number;
}

interface KnownSegment {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

interface NewPacked {
  readonly positions: readonly PackedPosition[];
  /** Rows from this time on stay rows. */
  readonly rowsBefore: number;
  /** A day that may have rows, in addition to the days of the positions. */
  readonly besides?: number;
}

export async function storePacked(
  tx: Tx,
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
    for (const row of await takeRows(tx, deviceId, {
      from: day,
      to: Math.min(day + DAY_MS, rowsBefore) - 1,
    }))
      add(row);
  for (const [day, ofDay] of days) await storeDay(tx, deviceId, day, ofDay);
}

/** Takes rows away; what was in them. */
async function takeRows(tx: Tx, deviceId: number, { from, to }: Span): Promise<StoredPosition[]> {
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
      rows.slice(start, start + AT_ONCE).map(({ id }) => id),
    );
  if (deleted !== rows.length) throw new Error('Some positions disappeared before they were packed.');
  return rows;
}

async function storeDay(tx: Tx, deviceId: number, day: number, positions: readonly PackedPosition[]): Promise<void> {
  const sorted = positions.toSorted(byTime);
  const ofDay = { from: day, to: day + DAY_MS - 1 };
  const known = await segmentsWithin(tx, deviceId, ofDay)
    .select(['firstAt', 'lastAt', 'count'])
    .orderBy('firstAt')
    .execute();
  const opened = toOpen(known, { from: sorted[0]!.timestamp, to: sorted.at(-1)!.timestamp });
  const packed = await takeSegments(tx, deviceId, opened);
  const all = packed.length === 0 ? sorted : [...packed, ...sorted].sort(byTime);
  for (const segment of segmentsOf(deviceId, all)) await tx.insertInto('positionSegments').values(segment).execute();
}

/** Segments never overlap: the segments that the span overlaps are opened, and the small ones next to it. */
function toOpen(known: readonly KnownSegment[], { from, to }: Span): KnownSegment[] {
  const isSmall = (segment: KnownSegment | undefined) => segment !== undefined && segment.count < WORTH_OPENING;
  const before = known.findLast(({ lastAt }) => lastAt < from);
  const after = known.find(({ firstAt }) => firstAt > to);
  return known.filter(
    (segment) =>
      (segment.firstAt <= to && segment.lastAt >= from) ||
      (segment === before && isSmall(before)) ||
      (segment === after && isSmall(after)),
  );
}

/** Takes segments away; what was in them. */
export async function takeSegments(
  tx: Tx,
  deviceId: number,
  segments: readonly Pick<KnownSegment, 'firstAt'>[],
): Promise<PackedPosition[]> {
  if (segments.length === 0) return [];
  const taken = await tx
    .deleteFrom('positionSegments')
    .where('deviceId', '=', deviceId)
    .where(
      'firstAt',
      'in',
      segments.map(({ firstAt }) => firstAt),
    )
    .returning('data')
    .execute();
  return taken.flatMap(({ data }) => unpackPositions(data));
}
