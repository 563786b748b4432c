import { pointV2 } from '@trackway/contract/resources/point.ts';
import type { Sql } from '../../platform/filter/sql.ts';
import {
  type PackedSearch,
  type SearchedTable,
  searchedSource,
  searchSegments,
} from '../../platform/packing/search-segments.ts';
import type { Dialect } from '../../platform/storage/dialect.ts';
import { columnsOf, type Row } from '../../platform/storage/shape.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Tables } from '../schema/tables.ts';
import { type PackedPosition, unpackPositions } from './packed-positions.ts';
import { segmentsWithin } from './segments.ts';

/** Searches the positions of a device if some of them are packed. */

interface WantedOfPacked extends PackedSearch {
  readonly deviceId: number;
}

/** All that a filter can name. */
const POINTS: SearchedTable = {
  name: 'points',
  fields: shapeOf(pointV2).flatMap((field) =>
    columnsOf(field).map((name) => ({
      name,
      type:
        field.kind === 'integer' || field.kind === 'time'
          ? ('BIGINT' as const)
          : field.kind === 'text'
            ? ('TEXT' as const)
            : field.kind === 'json'
              ? ('JSONB' as const)
              : ('DOUBLE PRECISION' as const),
    })),
  ),
};
const NAMES = POINTS.fields.map(({ name }) => name).filter((name) => name !== 'deviceId') as (keyof PackedPosition)[];

/** The table as a statement reads it: its rows, and what was unpacked. */
export const sourceOf = (dialect: Dialect, deviceId: number): Sql =>
  searchedSource(dialect, POINTS, `"deviceId" = ${Number(deviceId)}`);

export const searchPacked = defineReadWork(
  import.meta.url,
  (workplace: Workplace<Tables>, wanted: WantedOfPacked): Promise<string> => {
    const { deviceId, range } = wanted;
    const within = segmentsWithin(workplace.query, deviceId, range);
    return searchSegments(
      workplace.query,
      POINTS,
      {
        list: () => within.select(['id', 'firstAt', 'lastAt', 'count']).execute(),
        async open({ id }) {
          const segment = await within.select('data').where('id', '=', id).executeTakeFirst();
          return (
            segment &&
            unpackPositions(segment.data, NAMES).map((position) => ({ ...position, deviceId }) as unknown as Row)
          );
        },
      },
      wanted,
    );
  },
);
