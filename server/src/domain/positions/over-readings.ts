import type { Kysely } from 'kysely';
import { timeNow } from '../../platform/clock.ts';
import type { Sql } from '../../platform/filter/sql.ts';
import {
  rowsOverSegments,
  type SearchedTable,
  type SegmentSource,
  searchedRows,
  searchedSource,
} from '../../platform/packing/search-segments.ts';
import { insertOf, type RowsQuery } from '../../platform/storage/bulk.ts';
import { type Dialect, dialectOf } from '../../platform/storage/dialect.ts';
import { runSql } from '../../platform/storage/run-sql.ts';
import type { Row } from '../../platform/storage/shape.ts';
import type { Tables } from '../schema/tables.ts';
import {
  hasType,
  openReadings,
  type ReadingSpan,
  readingSegmentsWithin,
  scopeText,
  wholeSpan,
} from './reading-segments.ts';
import { DAY_MS } from './segments.ts';
import type { ReadingColumn, ReadingScope, StoredReadingRow } from './stored-reading.ts';

/** Statements over readings. Packed readings are unpacked and passed to the statement as JSON. */

/** The statements that store and compare readings. */

export const INSERT_READINGS = insertOf(
  'gatewayReadings',
  {
    gatewayId: 'integer',
    deviceId: 'integer',
    datapointId: 'integer',
    created: 'time',
    timestamp: 'time',
    type: 'text',
    value: 'json',
    rssi: 'number',
    meta: 'json',
    correlationId: 'text',
    sensorDeviceId: 'text',
    hash: 'text',
    reporterId: 'integer',
  },
  'reporterId',
);

/** The same measurement by other gateways, at most so long before or after. */
export const findMeasured = (sameMs: number): RowsQuery => ({
  columns: { gatewayId: 'integer', deviceId: 'integer', type: 'text', timestamp: 'time' },
  sql: `SELECT DISTINCT r."id", r."gatewayId", r."deviceId", r."timestamp", r."type", r."value" FROM given
    JOIN "gatewayReadings" r ON r."deviceId" = given."deviceId" AND r."type" = given."type"
      AND r."timestamp" >= given."timestamp" - ${sameMs} AND r."timestamp" <= given."timestamp" + ${sameMs}
      AND r."gatewayId" <> given."gatewayId"`,
});

const INSERTED = {
  gatewayId: 'integer',
  deviceId: 'integer',
  timestamp: 'time',
  created: 'time',
  type: 'text',
  value: 'json',
  rssi: 'number',
  meta: 'json',
  relatedId: 'integer',
  correlationId: 'text',
  sensorDeviceId: 'text',
  datapointId: 'integer',
  hash: 'text',
  id: 'integer',
} as const satisfies Record<ReadingColumn, unknown>;
export const ALL = Object.keys(INSERTED) as ReadingColumn[];
export const INSERT_AGAIN = insertOf('gatewayReadings', { ...INSERTED, reporterId: 'integer' }, 'reporterId');

/** All that a statement can name. */
export const SEARCHED_READINGS: SearchedTable = {
  name: 'gatewayReadings',
  fields: [
    { name: 'id', type: 'BIGINT' },
    { name: 'timestamp', type: 'BIGINT' },
    { name: 'created', type: 'BIGINT' },
    { name: 'type', type: 'TEXT' },
    { name: 'value', type: 'JSONB' },
    { name: 'rssi', type: 'DOUBLE PRECISION' },
    { name: 'meta', type: 'JSONB' },
    { name: 'relatedId', type: 'BIGINT' },
    { name: 'correlationId', type: 'TEXT' },
    { name: 'gatewayId', type: 'BIGINT' },
    { name: 'deviceId', type: 'BIGINT' },
    { name: 'sensorDeviceId', type: 'TEXT' },
    { name: 'datapointId', type: 'BIGINT' },
  ],
};
const NAMES = SEARCHED_READINGS.fields.map(({ name }) => name) as ReadingColumn[];

/** What is asked for. */
interface WantedReadings {
  readonly scope: ReadingScope;
  /** Both ends inclusive. */
  readonly span: ReadingSpan;
  /** Only readings of these types are looked at: segments that have none of them are not opened. */
  readonly types?: readonly string[];
  /** Of what is packed only these are looked at. */
  readonly isLookedAt?: (reading: StoredReadingRow) => boolean;
}

/** The segments of a scope, for a search. */
export function segmentSource(query: Kysely<Tables>, wanted: WantedReadings): SegmentSource {
  const { scope, types, isLookedAt } = wanted;
  const all = readingSegmentsWithin(query, scope, wholeSpan(wanted.span));
  const within = types ? all.where((when) => when.or(types.map((type) => hasType(dialectOf(query), type)))) : all;
  return {
    areFew: isLookedAt !== undefined,
    list: () => within.select(['id', 'firstAt', 'lastAt', 'count']).execute(),
    async open({ id }) {
      const segment = await within.select(['gatewayId', 'deviceId', 'data']).where('id', '=', id).executeTakeFirst();
      const readings = segment && (openReadings(segment, NAMES) as StoredReadingRow[]);
      return (isLookedAt ? readings?.filter(isLookedAt) : readings) as Row[] | undefined;
    },
  };
}

/** The table as a statement over a scope reads it. */
export const readingSource = (dialect: Dialect, scope: ReadingScope): Sql =>
  searchedSource(dialect, SEARCHED_READINGS, scopeText(scope));

/** Nothing that is younger is ever packed: see `PACK_MARGIN_MS` of the engine. */
export const NEVER_PACKED_MS = DAY_MS;

/**
 * Runs a statement over the readings of a scope and a time as if all were rows.
 * @param statement the statement, with the source to read in place of the table; it gives the source a name
 */
export async function overReadings<R>(
  query: Kysely<Tables>,
  wanted: WantedReadings,
  statement: (source: string) => Sql,
): Promise<R[]> {
  const plain = statement('"gatewayReadings"');
  const run = () => runSql<R>(query, plain.sql, plain.cells);
  if (wanted.span.from > timeNow() - NEVER_PACKED_MS) return run();
  const source = segmentSource(query, wanted);
  if ((await source.list()).length === 0) {
    const found = await run();
    // What was packed meanwhile is not in it.
    if ((await source.list()).length === 0) return found;
  }
  const rows = searchedRows(dialectOf(query), SEARCHED_READINGS, scopeText(wanted.scope));
  const { sql, cells } = statement(rows);
  const range = wholeSpan(wanted.span);
  return (await rowsOverSegments(query, SEARCHED_READINGS, source, { sql, cells, range })) as R[];
}
