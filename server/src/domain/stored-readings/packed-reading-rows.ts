import type { PackedRows, PackedSearch } from '../../platform/packed-rows-of.ts';
import { searchSegments } from '../../platform/packing/search-segments.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { readingSource, SEARCHED_READINGS, segmentSource } from './over-readings.ts';
import { ALL, packedReading } from './pack-readings.ts';
import { wholeSpan } from './reading-segments.ts';
import type { ReadingScope } from './stored-reading.ts';

interface WantedReadingList extends PackedSearch {
  readonly readings: ReadingScope;
}

/** Searches the readings of a scope of which some are packed, on a thread apart. */
export const searchReadings = defineReadWork(
  import.meta.url,
  (workplace: Workplace<Tables>, wanted: WantedReadingList): Promise<string> =>
    searchSegments(
      workplace,
      SEARCHED_READINGS,
      segmentSource(workplace, { scope: wanted.readings, span: wanted.range }),
      wanted,
    ),
);

/**
 * The packed readings of a device, for lists, counts and single readings of the API.
 * @param column whether those that it told are meant, or those that are about it
 */
export function packedReadingRows(store: Store, column: keyof ReadingScope): PackedRows {
  const search = store.readWork(searchReadings);
  const bounds = store.prepare<{ first: number | null; last: number | null }>(
    `readingSegments.bounds.${column}`,
    `SELECT MIN("first") AS "first", MAX("last") AS "last" FROM "readingSegments"
     WHERE "${column}" = ? AND "first" <= ? AND "last" >= ?`,
  );
  /** Readings are listed as those of one device. */
  const readingsOf = ({ cells }: { readonly cells: readonly unknown[] }): ReadingScope => ({
    [column]: cells[0] as number,
  });
  return {
    async within(scope, range) {
      const { from, to } = wholeSpan(range);
      const { first, last } = (await bounds.get(scope.cells[0] as number, to, from))!;
      return first === null || last === null ? undefined : { first, last };
    },
    source: (scope) => readingSource(store.storeKind, readingsOf(scope)),
    search: (scope, { range, ...wanted }, owner) =>
      search({ ...wanted, cells: [...wanted.cells], readings: readingsOf(scope), range: wholeSpan(range) }, owner),
    async find(scope, id) {
      const found = await packedReading(store.query, readingsOf(scope), id, ALL);
      if (found === undefined) return undefined;
      const { segmentId: _, ...reading } = found;
      return reading as unknown as Row;
    },
  };
}
