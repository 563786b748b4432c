import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import { byTime } from '../../platform/packing/with-packed.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { DAY_MS } from '../positions/segments.ts';
import { slotOf } from '../schema/slot.ts';
import type { Tables } from '../schema/tables.ts';
import { type PackedReadingCells, packReadings, unpackReadings } from './packed-readings.ts';
import {
  keeperOf,
  type ReadingColumn,
  type ReadingPair,
  type ReadingScope,
  type StoredReadingRow,
} from './stored-reading.ts';

/**
 * Segments of readings: those of a day that one gateway told of one device, or a device of itself, packed into one row.
 * Those of several devices, and of one on a busy day, have readings of the same times.
 */

/** A day with more readings has several segments, so that one is soon opened. */
export const MOST_IN_READING_SEGMENT = 10_000;

type Row = Selectable<Tables['readingSegments']>;
export type NewReadingSegment = Omit<Row, 'id' | 'data'> & { readonly data: Uint8Array };

/** @param readings those of one day, and of one pair of devices */
export function readingSegmentsOf(pair: ReadingPair, readings: readonly PackedReadingCells[]): NewReadingSegment[] {
  const sorted = readings.toSorted(byTime);
  const segments: NewReadingSegment[] = [];
  for (let start = 0; start < sorted.length; start += MOST_IN_READING_SEGMENT) {
    const some = sorted.slice(start, start + MOST_IN_READING_SEGMENT);
    const ids = some.map(({ id }) => id);
    segments.push({
      slot: slotOf(keeperOf(pair)),
      keptBy: keeperOf(pair),
      gatewayId: pair.gatewayId,
      deviceId: pair.deviceId,
      first: some[0]!.timestamp,
      last: some.at(-1)!.timestamp,
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

/** Whether a segment has readings of a type. A quote in a type is escaped, so none is taken for the end of another. */
export const hasType = (storeKind: StoreKind, type: string) =>
  sql<boolean>`${sql.raw(storeKind === 'sqlite' ? 'instr' : 'strpos')}("types", ${`,${JSON.stringify(type)},`}) > 0`;

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
    // Those that a device told of itself. Whoever is named as the gateway is known to keep them.
    if (gatewayId === null && deviceId != null) conditions.push(of('keptBy', '=', deviceId));
    return of.and(conditions);
  };

/** The same as text, for a statement that is not bound: ids are numbers. */
export function scopeText(storeKind: StoreKind, { gatewayId, deviceId }: ReadingScope): string {
  const named = (column: keyof ReadingScope, id: number | null | undefined) => {
    if (id === undefined) return [];
    return [id === null ? `"${column}" IS NULL` : `"${column}" = ${Number(id)}`];
  };
  const keeper = gatewayId ?? (gatewayId === null ? deviceId : undefined);
  const slot = storeKind === 'postgres' && keeper != null ? [`"slot" = ${slotOf(keeper)}`] : [];
  return [...slot, ...named('gatewayId', gatewayId), ...named('deviceId', deviceId)].join(' AND ');
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
      .where('first', '<=', to)
      .where('last', '>=', from)
      // None is longer than a day, so the index need not be read from its beginning.
      .where('first', '>', Math.max(from - DAY_MS, Number.MIN_SAFE_INTEGER))
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
