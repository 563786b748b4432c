import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { nullOf, unpackPositions } from './packed-positions.ts';
import { byTime, bytesOf, segmentsWithin } from './segments.ts';
import type { PositionColumn, StoredPosition } from './stored-position.ts';

/** Reads positions that are stored as rows together with those that are packed, as if all were rows. */

export interface PositionSpan {
  readonly from: number;
  readonly to: number;
}

export interface PackedReading {
  readonly deviceId: number;
  readonly span: PositionSpan;
  readonly isNewestFirst: boolean;
  readonly limit: number;
  /** All columns that are read; times and ids are among them. */
  readonly columns: readonly PositionColumn[];
  /** Whether an unpacked position is one of those that are wanted. */
  readonly isWanted: (position: StoredPosition) => boolean;
  /** The query for rows within a span, with these columns, in the order that is wanted, at most as many as are wanted. */
  readonly rows: (span: PositionSpan) => SelectQueryBuilder<Tables, 'points', object>;
}

/** Segments that are opened at a time: mostly one has all that is wanted. */
const FEW = 2;
const MANY = 16;

interface Found extends StoredPosition {
  readonly data: Uint8Array | string | null;
}

/**
 * Rows and segments are read by one statement, so that what is being packed, or unpacked, meanwhile is seen once.
 * Segments of a device do not overlap: where only some were opened, all is known up to the end of the last of them.
 */
export async function withPacked(query: Kysely<Tables>, reading: PackedReading): Promise<StoredPosition[]> {
  const { isNewestFirst, limit } = reading;
  const found: StoredPosition[] = [];
  let { span } = reading;
  for (let most = FEW; ; most = Math.min(2 * most, MANY)) {
    const { positions, known } = await some(query, { ...reading, span, limit: limit - found.length }, most);
    for (const position of positions) found.push(position);
    if (known === undefined || found.length >= limit) return found;
    span = isNewestFirst ? { ...span, to: known - 1 } : { ...span, from: known + 1 };
  }
}

interface Some {
  readonly positions: StoredPosition[];
  /** Up to, or down to, which moment these are all; undefined where there are no more. */
  readonly known: number | undefined;
}

async function some(query: Kysely<Tables>, reading: PackedReading, most: number): Promise<Some> {
  const { deviceId, span, isNewestFirst, limit, columns, isWanted } = reading;
  const packed = segmentsWithin(query, deviceId, span)
    .select('data')
    .orderBy('first', isNewestFirst ? 'desc' : 'asc')
    .limit(most);
  const read = await statement(reading, packed).execute(query);
  const positions: StoredPosition[] = [];
  const names = columns.filter((name) => name !== 'deviceId');
  let known = isNewestFirst ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  let opened = 0;
  for (const row of read.rows) {
    if (row.data === null) {
      positions.push(row);
      continue;
    }
    opened += 1;
    const unpacked = unpackPositions(bytesOf(row.data), names) as StoredPosition[];
    known = isNewestFirst ? Math.min(known, unpacked[0]!.timestamp) : Math.max(known, unpacked.at(-1)!.timestamp);
    for (const position of unpacked) {
      const { timestamp } = position;
      if (timestamp < span.from || timestamp > span.to || !isWanted(position)) continue;
      positions.push(columns === names ? position : { ...position, deviceId });
    }
  }
  positions.sort(isNewestFirst ? (a, b) => byTime(b, a) : byTime);
  if (opened < most) return { positions: positions.slice(0, limit), known: undefined };
  const isKnown = ({ timestamp }: StoredPosition) => (isNewestFirst ? timestamp >= known : timestamp <= known);
  return { positions: positions.filter(isKnown).slice(0, limit), known };
}

function statement({ columns, rows, span }: PackedReading, packed: RawBuilder<unknown> | object) {
  const nulls = sql.join(columns.map((name) => sql`${nullOf(name)} AS ${sql.ref(name)}`));
  const names = sql.join(columns.map((name) => sql.ref(name)));
  return sql<Found>`SELECT ${names}, CAST(NULL AS BYTEA) AS "data" FROM (${rows(span)}) AS "rows"
    UNION ALL SELECT ${nulls}, "data" FROM (${packed as RawBuilder<unknown>}) AS "packed"`;
}
