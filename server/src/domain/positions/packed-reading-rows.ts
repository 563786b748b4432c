import { type PackedRows, type PackedSearch, searchSegments } from '../../platform/packing/search-segments.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { ALL, readingSource, SEARCHED_READINGS, segmentSource } from './over-readings.ts';
import { packedReading } from './pack-readings.ts';
import { wholeSpan } from './reading-segments.ts';
import type { ReadingScope } from './stored-reading.ts';

interface WantedReadingList extends PackedSearch {
  readonly readings: ReadingScope;
}

/** Searches the readings of a scope if some of them are packed, on a separate thread. */
export const searchReadings = defineReadWork(
  import.meta.url,
  (workplace: Workplace<Tables>, wanted: WantedReadingList): Promise<string> =>
    searchSegments(
      workplace.query,
      SEARCHED_READINGS,
      segmentSource(workplace.query, { scope: wanted.readings, span: wanted.range }),
      wanted,
    ),
);

/**
 * The packed readings of a device, for lists, counts and single readings of the API.
 * @param column selects the readings that the device reported, or the readings about it
 */
export function packedReadingRows(store: Store, column: keyof ReadingScope): PackedRows {
  const search = store.readWork(searchReadings);
  const bounds = store.prepare<{ firstAt: number | null; lastAt: number | null }>(
    `readingSegments.bounds.${column}`,
    `SELECT MIN("firstAt") AS "firstAt", MAX("lastAt") AS "lastAt" FROM "readingSegments"
     WHERE "${column}" = ? AND "firstAt" <= ? AND "lastAt" >= ?`,
  );
  /** A list contains the readings of one device. */
  const readingsOf = ({ cells }: { readonly cells: readonly unknown[] }): ReadingScope => ({
    [column]: cells[0] as number,
  });
  return {
    async within(scope, range) {
      const { from, to } = wholeSpan(range);
      const { firstAt, lastAt } = (await bounds.get(scope.cells[0] as number, to, from))!;
      return firstAt === null || lastAt === null ? undefined : { first: firstAt, last: lastAt };
    },
    source: (scope) => readingSource(store.dialect, readingsOf(scope)),
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
