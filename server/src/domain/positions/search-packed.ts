import { point } from '@trackway/contract/resources/point.ts';
import type { Sql } from '../../platform/filter/sql.ts';
import type { PackedSearch } from '../../platform/packed-rows-of.ts';
import { runSql } from '../../platform/storage/run-sql.ts';
import { OutOfTime } from '../../platform/storage/search/messages.ts';
import { presentAsJson } from '../../platform/storage/search/result.ts';
import { type Cell, columnsOf, type Row } from '../../platform/storage/shape.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Tables } from '../schema/tables.ts';
import { type PackedPosition, unpackPositions } from './packed-positions.ts';
import { bytesOf, segmentsWithin } from './segments.ts';

/**
 * Searches the positions of a device of which some are packed. Those are unpacked here, on a thread apart, and given to
 * the statement as JSON: the filter language means the same on all of them, since it is the same engine that reads it.
 */

export interface WantedOfPacked extends PackedSearch {
  readonly deviceId: number;
}

interface SearchedField {
  readonly name: string;
  readonly type: 'BIGINT' | 'DOUBLE PRECISION' | 'TEXT';
}

/** All that a filter can name. */
const FIELDS: readonly SearchedField[] = shapeOf(point).flatMap((field) =>
  columnsOf(field).map((name) => ({
    name,
    type:
      field.kind === 'integer' || field.kind === 'time'
        ? ('BIGINT' as const)
        : field.kind === 'text'
          ? ('TEXT' as const)
          : ('DOUBLE PRECISION' as const),
  })),
);
const NAMES = FIELDS.map(({ name }) => name).filter((name) => name !== 'deviceId') as (keyof PackedPosition)[];
const LIST = FIELDS.map(({ name }) => `"${name}"`).join(', ');

/** Stand in the text of a statement for the times between which rows are read. No value of a user is ever in a text. */
const [LOW, HIGH] = ['{{low}}', '{{high}}'];

/** The table as a statement reads it: its rows, and what was unpacked. */
export function sourceOf(storeKind: StoreKind, deviceId: number): Sql {
  const id = Number(deviceId);
  const rows = `SELECT ${LIST} FROM "points" WHERE "deviceId" = ${id} AND "timestamp" >= ${LOW} AND "timestamp" <= ${HIGH}`;
  const texts = FIELDS.map(({ name, type }) =>
    storeKind === 'postgres' && type === 'TEXT' ? `"${name}" COLLATE "C"` : `"${name}"`,
  ).join(', ');
  return { sql: `(${rows} UNION ALL SELECT ${texts} FROM "unpacked") AS "points"`, cells: [] };
}

/** What was unpacked, from one cell of JSON. */
const UNPACKED: Readonly<Record<StoreKind, string>> = {
  sqlite: `"unpacked" (${LIST}) AS MATERIALIZED (SELECT ${FIELDS.map(
    ({ type }, index) => `CAST("value" ->> ${index} AS ${type})`,
  ).join(', ')} FROM json_each(?))`,
  postgres: `"unpacked" AS MATERIALIZED (SELECT * FROM json_to_recordset(CAST(? AS JSON)) AS "given" (${FIELDS.map(
    ({ name, type }) => `"${name}" ${type}`,
  ).join(', ')}))`,
};

/** More than this is not unpacked for one search. */
const MOST_POSITIONS = 300_000;
/** Segments that are opened first, where rows come in the order of time and a few are enough. */
const FEW = 2;
const TRIES = 5;

interface KnownSegment {
  readonly id: number;
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

export const searchPacked = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, wanted: WantedOfPacked): Promise<string> => {
    for (let tries = 1; ; tries += 1) {
      const found = await searchOnce(workplace, wanted);
      if (found !== undefined) return found;
      if (tries === TRIES) throw new OutOfTime('The positions change all the time.');
    }
  },
);

/** Undefined where positions were packed or unpacked meanwhile. */
async function searchOnce(workplace: Workplace<Tables>, wanted: WantedOfPacked): Promise<string | undefined> {
  const { direction, enough = 0 } = wanted;
  const segments = await segmentsOf(workplace, wanted);
  const ordered = direction === 'descending' ? segments.toReversed() : segments;
  for (let few = direction === undefined ? ordered.length : FEW; ; few *= 2) {
    const opened = ordered.slice(0, few);
    const isAll = opened.length === ordered.length;
    const rows = await matching(workplace, wanted, opened, isAll);
    if (rows === undefined) return undefined;
    if (!isAll && rows.length < enough) continue;
    const after = await segmentsOf(workplace, wanted);
    const isSame = after.length === segments.length && after.every(({ id }, index) => id === segments[index]!.id);
    return isSame ? presentAsJson(wanted, rows, () => {}) : undefined;
  }
}

const segmentsOf = ({ query }: Workplace<Tables>, { deviceId, range }: WantedOfPacked): Promise<KnownSegment[]> =>
  segmentsWithin(query, deviceId, range).select(['id', 'first', 'last', 'count']).orderBy('first').execute();

/** @param opened in the order in which rows are wanted; beyond them nothing is looked at unless they are all */
async function matching(
  { query, storeKind }: Workplace<Tables>,
  { sql, cells, deviceId, direction, range }: WantedOfPacked,
  opened: readonly KnownSegment[],
  isAll: boolean,
): Promise<Row[] | undefined> {
  if (opened.reduce((sum, { count }) => sum + count, 0) > MOST_POSITIONS)
    throw new OutOfTime('Too many positions would have to be unpacked.');
  const low = isAll || direction === 'ascending' ? range.from : opened.at(-1)!.first;
  const high = isAll || direction === 'descending' ? range.to : opened.at(-1)!.last;
  const unpacked: PackedPosition[] = [];
  for (const { id } of opened) {
    const segment = await segmentsWithin(query, deviceId, range).select('data').where('id', '=', id).executeTakeFirst();
    if (segment === undefined) return undefined;
    for (const position of unpackPositions(bytesOf(segment.data), NAMES))
      if (position.timestamp >= low && position.timestamp <= high) unpacked.push(position as PackedPosition);
  }
  const text = sql.replaceAll(LOW, String(low)).replaceAll(HIGH, String(high));
  const withUnpacked = text.startsWith('WITH ')
    ? `WITH ${UNPACKED[storeKind]}, ${text.slice('WITH '.length)}`
    : `WITH ${UNPACKED[storeKind]} ${text}`;
  const rows = await runSql<Row>(query, storeKind, withUnpacked, [jsonOf(storeKind, deviceId, unpacked), ...cells]);
  // The number that went through JSON may differ in its last digit: SQLite does not read each as it was written.
  const exact = new Map(unpacked.map((position) => [position.id, position]));
  return rows.map((row) => {
    const position = exact.get(row.id as number);
    return position === undefined ? row : ({ ...position, deviceId } as unknown as Row);
  });
}

function jsonOf(storeKind: StoreKind, deviceId: number, positions: readonly PackedPosition[]): string {
  const cellOf = (position: PackedPosition, name: string): Cell =>
    name === 'deviceId' ? deviceId : position[name as keyof PackedPosition];
  const rows =
    storeKind === 'sqlite'
      ? positions.map((position) => FIELDS.map(({ name }) => cellOf(position, name)))
      : positions.map((position) => ({ ...position, deviceId }));
  return JSON.stringify(rows);
}
