import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import { byTime } from '../../platform/packing/with-packed.ts';
import { type Dialect, dialectOf } from '../../platform/storage/dialect.ts';
import type { Tables } from '../schema/tables.ts';
import { type PackedReadingCells, packReadings, unpackReadings } from './packed-readings.ts';
import { DAY_MS, startOfDay } from './segments.ts';
import {
  keeperOf,
  type ReadingColumn,
  type ReadingPair,
  type ReadingScope,
  type StoredReadingRow,
} from './stored-reading.ts';

/**
 * Segments of readings: the readings of one day that a gateway reported about one device, or a device about itself,
 * packed into one row. Segments of several devices, and of one device on a busy day, can overlap in time.
 */

/** A day with more readings has several segments, so that one is soon opened. */
export const MOST_IN_READING_SEGMENT = 10_000;

type Row = Selectable<Tables['readingSegments']>;
type NewReadingSegment = Omit<Row, 'id' | 'data'> & { readonly data: Uint8Array };

/** @param readings readings of one day and one pair of devices */
export function readingSegmentsOf(pair: ReadingPair, readings: readonly PackedReadingCells[]): NewReadingSegment[] {
  const sorted = readings.toSorted(byTime);
  const segments: NewReadingSegment[] = [];
  for (let start = 0; start < sorted.length; start += MOST_IN_READING_SEGMENT) {
    const some = sorted.slice(start, start + MOST_IN_READING_SEGMENT);
    const ids = some.map(({ id }) => id);
    segments.push({
      reporterId: keeperOf(pair),
      gatewayId: pair.gatewayId,
      deviceId: pair.deviceId,
      firstAt: some[0]!.timestamp,
      lastAt: some.at(-1)!.timestamp,
      count: some.length,
      lowId: ids.reduce((a, b) => Math.min(a, b)),
      highId: ids.reduce((a, b) => Math.max(a, b)),
      types: typesText(some.map(({ type }) => type)),
      data: packReadings(some),
    });
  }
  return segments;
}

const typesText = (types: readonly string[]) =>
  `,${[...new Set(types)]
    .sort()
    .map((type) => JSON.stringify(type))
    .join(',')},`;

const POSITION = { sqlite: 'instr', postgres: 'strpos' };

/** Whether a segment has readings of a type. A quote in a type is escaped, so none is taken for the end of another. */
export const hasType = (dialect: Dialect, type: string) =>
  sql<boolean>`${sql.raw(dialect.pick(POSITION))}("types", ${`,${JSON.stringify(type)},`}) > 0`;

/** The condition on a row, or a segment, that it is of a scope. */
export const isOf =
  ({ gatewayId, deviceId }: ReadingScope) =>
  <Table extends 'gatewayReadings' | 'readingSegments'>(when: ExpressionBuilder<Tables, Table>) => {
    const of = when as unknown as ExpressionBuilder<Tables, 'readingSegments'>;
    const named = (column: keyof ReadingScope, id: number | null | undefined) => {
      if (id === undefined) return [];
      return [id === null ? of(column, 'is', null) : of(column, '=', id)];
    };
    const conditions = [...named('gatewayId', gatewayId), ...named('deviceId', deviceId)];
    const keeper = keeperIn({ gatewayId, deviceId });
    if (keeper != null) conditions.push(of('reporterId', '=', keeper));
    return of.and(conditions);
  };

/** The device that stores all readings of a scope, if there is one. */
const keeperIn = ({ gatewayId, deviceId }: ReadingScope) => gatewayId ?? (gatewayId === null ? deviceId : undefined);

/** The same as text, for a statement that is not bound: ids are numbers. */
export function scopeText({ gatewayId, deviceId }: ReadingScope): string {
  const named = (column: keyof ReadingScope, id: number | null | undefined) => {
    if (id === undefined) return [];
    return [id === null ? `"${column}" IS NULL` : `"${column}" = ${Number(id)}`];
  };
  const keeper = keeperIn({ gatewayId, deviceId });
  const place = keeper == null ? [] : [`"reporterId" = ${keeper}`];
  return [...place, ...named('gatewayId', gatewayId), ...named('deviceId', deviceId)].join(' AND ');
}

export interface ReadingSpan {
  readonly from: number;
  readonly to: number;
}

/** An open end as a number that both engines have. */
export const wholeSpan = ({ from, to }: ReadingSpan): ReadingSpan => ({
  from: Math.max(from, Number.MIN_SAFE_INTEGER),
  to: Math.min(to, Number.MAX_SAFE_INTEGER),
});

/** The segments of a scope that reach into a range of time, both ends inclusive; in no order. */
export function readingSegmentsWithin(query: Kysely<Tables>, scope: ReadingScope, { from, to }: ReadingSpan) {
  return (
    query
      .selectFrom('readingSegments')
      .where(isOf(scope))
      .where('firstAt', '<=', to)
      .where('lastAt', '>=', from)
      // None is longer than a day, so the index need not be read from its beginning.
      .where('firstAt', '>', Math.max(from - DAY_MS, Number.MIN_SAFE_INTEGER))
  );
}

/** What is in a segment, with the devices that the segment is of. */
export function openReadings<Name extends ReadingColumn>(
  { gatewayId, deviceId, data }: ReadingPair & Pick<Row, 'data'>,
  wanted: readonly Name[],
): Pick<StoredReadingRow, Name | 'timestamp' | 'id'>[] {
  const cells = wanted.filter((name) => name !== 'gatewayId' && name !== 'deviceId') as (keyof PackedReadingCells)[];
  const readings = unpackReadings(data, [...new Set([...cells, 'timestamp', 'id'] as const)]);
  return readings.map((reading) => ({ ...reading, gatewayId, deviceId })) as unknown as StoredReadingRow[];
}

type Place = Pick<StoredReadingRow, 'timestamp' | 'id'>;

/** The newest reading of a type and a scope, whether it is packed or not. */
export async function newestReading(
  query: Kysely<Tables>,
  scope: ReadingScope,
  type: string,
): Promise<Place | undefined> {
  let newest: Place | undefined = await query
    .selectFrom('gatewayReadings')
    .select(['timestamp', 'id'])
    .where(isOf(scope))
    .where('type', '=', type)
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const last = query
    .selectFrom('readingSegments')
    .where(isOf(scope))
    .where(hasType(dialectOf(query), type));
  const { day } = await last
    .select(({ fn }) => fn.max('firstAt').as('day'))
    .where('lastAt', '>=', newest?.timestamp ?? 0)
    .executeTakeFirstOrThrow();
  if (day === null) return newest;
  // Segments of a day may overlap, segments of different days do not.
  const segments = await last
    .select(['gatewayId', 'deviceId', 'data'])
    .where('firstAt', '>=', startOfDay(Number(day)))
    .execute();
  for (const segment of segments)
    for (const reading of openReadings(segment, ['type']))
      if (reading.type === type && (newest === undefined || byTime(newest, reading) < 0)) newest = reading;
  return newest;
}
