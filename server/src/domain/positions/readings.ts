import { type Kysely, sql } from 'kysely';
import { type StoredSpan, withPacked } from '../../platform/packing/with-packed.ts';
import type { Tables } from '../schema/tables.ts';
import { nullOfReading } from './packed-readings.ts';
import { isOf, openReadings, readingSegmentsWithin } from './reading-segments.ts';
import type { ReadingColumn, ReadingScope, StoredReadingRow } from './stored-reading.ts';

/**
 * The one reader of readings, whatever form they are stored in: exports, archives, reports and replays read here. It works
 * wherever there are ordinary queries: in a transaction, and in the threads that read.
 */
interface ReadingsWanted<Column extends ReadingColumn> {
  readonly scope: ReadingScope;
  /** The first and the last time, both inclusive. */
  readonly from: number;
  readonly to: number;
  readonly columns: readonly Column[];
  /** The reading that was read last: those behind it in the order, by time and then by id, are wanted. */
  readonly after?: { readonly timestamp: number; readonly id: number };
  /** Only those with a higher id. */
  readonly above?: number;
  readonly limit: number;
}

const ALWAYS_READ = ['timestamp', 'id'] as const;

export async function readings<Column extends ReadingColumn>(
  query: Kysely<Tables>,
  { scope, from, to, columns, after, above, limit }: ReadingsWanted<Column>,
): Promise<Pick<StoredReadingRow, Column | 'timestamp' | 'id'>[]> {
  const read = [...new Set<ReadingColumn>([...columns, ...ALWAYS_READ])];
  const rows = (span: StoredSpan) => {
    let asked = query
      .selectFrom('gatewayReadings')
      .select(read)
      .where(isOf(scope))
      .where('timestamp', '>=', span.from)
      .where('timestamp', '<=', span.to)
      .orderBy('timestamp')
      .orderBy('id')
      .limit(limit);
    if (above !== undefined) asked = asked.where('id', '>', above);
    if (after !== undefined)
      asked = asked.where((when) => when.or([when('timestamp', '!=', after.timestamp), when('id', '>', after.id)]));
    return asked;
  };
  const found = await withPacked<Tables, 'gatewayReadings', StoredReadingRow>(query, {
    span: { from: after ? Math.max(from, after.timestamp) : from, to },
    isNewestFirst: false,
    limit,
    columns: read,
    isWanted: ({ timestamp, id }) =>
      (after === undefined || timestamp !== after.timestamp || id > after.id) && (above === undefined || id > above),
    rows,
    inSegment: (name) => (name === 'gatewayId' || name === 'deviceId' ? sql.ref(name) : nullOfReading(name)),
    segments: (span, most) =>
      readingSegmentsWithin(query, scope, span)
        .select(['gatewayId', 'deviceId', 'data'])
        .orderBy('firstAt')
        .limit(most),
    open: (segment) => openReadings(segment, read) as StoredReadingRow[],
    doOverlap: true,
  });
  return found.map((reading) => {
    const cells: Record<string, unknown> = {};
    for (const name of read) cells[name] = reading[name];
    return cells as unknown as StoredReadingRow;
  });
}
