import type { ExpressionBuilder, Kysely } from 'kysely';
import { type StoredSpan, withPacked } from '../../platform/packing/with-packed.ts';
import type { Tables } from '../schema/tables.ts';
import { nullOf, type PositionColumn, type StoredPosition, unpackPositions } from './packed-positions.ts';
import { segmentsWithin } from './segments.ts';

/**
 * The one reader of what a device reported of its way: exports, playback, reports, replays and trips read here, whatever
 * form their positions are stored in. It works wherever there are ordinary queries: in a transaction, and in the threads
 * that read.
 */

/** Which positions are meant. */
export type PositionKind = keyof typeof KINDS;

type Where = ExpressionBuilder<Tables, 'points'>;
interface KindOfPosition {
  /** The same for a row that was read whole. */
  readonly is: (position: StoredPosition) => boolean;
  readonly sql: (when: Where) => ReturnType<Where['and']>;
  /** The requested columns. */
  readonly columns: readonly PositionColumn[];
}

/** Each kind twice, as a condition and as a function: stored rows are asked by the one, others by the other. */
export const KINDS = {
  all: { is: () => true, sql: (when) => when.and([]), columns: [] },
  /** Positions with a location. */
  placed: {
    is: ({ locationLat }) => locationLat !== null,
    sql: (when) => when.and([when('locationLat', 'is not', null)]),
    columns: ['locationLat'],
  },
  /** Positions with a location that are not marked as wrong. */
  valid: {
    is: ({ locationLat, locationType }) => locationLat !== null && locationType !== 'invalid',
    sql: (when) => when.and([when('locationLat', 'is not', null), when('locationType', '!=', 'invalid')]),
    columns: ['locationLat', 'locationType'],
  },
  /** Positions with a location that are marked neither as implausible nor as too old. */
  unmarked: {
    is: ({ judged, locationLat }) => judged === null && locationLat !== null,
    sql: (when) => when.and([when('judged', 'is', null), when('locationLat', 'is not', null)]),
    columns: ['judged', 'locationLat'],
  },
  /** What the engine evaluates, or did. */
  evaluated: {
    is: ({ judged }) => judged !== 'tooOld',
    sql: (when) => when.or([when('judged', 'is', null), when('judged', '!=', 'tooOld')]),
    columns: ['judged'],
  },
  /** What trips and their tracks are made of. */
  fixes: {
    is: ({ judged, locationLat, locationType }) =>
      judged === null && locationLat !== null && locationType !== 'invalid',
    sql: (when) =>
      when.and([
        when('judged', 'is', null),
        when('locationLat', 'is not', null),
        when('locationType', '!=', 'invalid'),
      ]),
    columns: ['judged', 'locationLat', 'locationType'],
  },
} as const satisfies Record<string, KindOfPosition>;

interface PositionsWanted<Column extends PositionColumn> {
  readonly deviceId: number;
  /** The first and the last time, both inclusive. */
  readonly from: number;
  readonly to: number;
  readonly columns: readonly Column[];
  readonly kind?: PositionKind;
  /** The position that was read last: those behind it in the order are wanted. */
  readonly after?: { readonly timestamp: number; readonly id: number };
  /** By time, then by id; the newest first where that is wanted. */
  readonly isNewestFirst?: boolean;
  readonly limit: number;
}

export async function positions<Column extends PositionColumn>(
  query: Kysely<Tables>,
  { deviceId, from, to, columns, kind = 'all', after, isNewestFirst = false, limit }: PositionsWanted<Column>,
): Promise<Pick<StoredPosition, Column>[]> {
  const order = isNewestFirst ? 'desc' : 'asc';
  const beyond = isNewestFirst ? '<' : '>';
  const read = [...new Set<PositionColumn>([...columns, ...ALWAYS_READ, ...KINDS[kind].columns])];
  const rows = (span: StoredSpan) => {
    let asked = query
      .selectFrom('points')
      .select(read)
      .where('deviceId', '=', deviceId)
      .where('timestamp', '>=', span.from)
      .where('timestamp', '<=', span.to)
      .orderBy('timestamp', order)
      .orderBy('id', order)
      .limit(limit);
    if (kind !== 'all') asked = asked.where(KINDS[kind].sql);
    if (after !== undefined)
      asked = asked.where((when) => when.or([when('timestamp', '!=', after.timestamp), when('id', beyond, after.id)]));
    return asked;
  };
  const isBehind = ({ timestamp, id }: StoredPosition) =>
    after === undefined || timestamp !== after.timestamp || (isNewestFirst ? id < after.id : id > after.id);
  const names = read.filter((name) => name !== 'deviceId');
  const found = await withPacked<Tables, 'points', StoredPosition>(query, {
    span: {
      from: after && !isNewestFirst ? Math.max(from, after.timestamp) : from,
      to: after && isNewestFirst ? Math.min(to, after.timestamp) : to,
    },
    isNewestFirst,
    limit,
    columns: read,
    isWanted: (position) => KINDS[kind].is(position) && isBehind(position),
    rows,
    inSegment: nullOf,
    segments: (span, most) =>
      segmentsWithin(query, deviceId, span).select('data').orderBy('firstAt', order).limit(most),
    open({ data }) {
      const unpacked = unpackPositions(data, names) as StoredPosition[];
      return names.length === read.length ? unpacked : unpacked.map((position) => ({ ...position, deviceId }));
    },
    doOverlap: false,
  });
  return found.map((position) => picked(position, columns));
}

/** What positions are ordered by. */
const ALWAYS_READ: readonly PositionColumn[] = ['timestamp', 'id'];

function picked<Column extends PositionColumn>(position: StoredPosition, columns: readonly Column[]) {
  const cells = {} as { [C in Column]: StoredPosition[C] };
  for (const column of columns) cells[column] = position[column];
  return cells;
}
