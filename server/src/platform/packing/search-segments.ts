import type { Sql } from '../filter/sql.ts';
import type { PackedSearch } from '../packed-rows-of.ts';
import type { AnyQuery } from '../storage/database.ts';
import { runSql } from '../storage/run-sql.ts';
import { OutOfTime } from '../storage/search/messages.ts';
import { presentObjectsAsJson } from '../storage/search/result.ts';
import type { Row } from '../storage/shape.ts';
import type { StoreKind } from '../storage/store-kind.ts';

/**
 * Searches rows of which some are packed. Those are unpacked here, on a thread apart, and given to the statement as JSON:
 * the filter language means the same on all of them, since it is the same engine that reads it.
 */

/** All that a statement can name. */
export interface SearchedTable {
  readonly name: string;
  readonly fields: readonly SearchedField[];
}

export interface SearchedField {
  readonly name: string;
  readonly type: 'BIGINT' | 'DOUBLE PRECISION' | 'TEXT' | 'JSONB';
}

export interface SegmentSpan {
  readonly id: number;
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** Where segments come from. */
export interface SegmentSource {
  list(): Promise<readonly SegmentSpan[]>;
  /** Undefined where it is there no more. */
  open(segment: SegmentSpan): Promise<readonly Row[] | undefined>;
  /** Whether few of the rows are given, so that it does not matter how many there are. */
  readonly areFew?: boolean;
}

const listOf = ({ fields }: SearchedTable) => fields.map(({ name }) => `"${name}"`).join(', ');

/** Stand in the text of a statement for the times between which rows are read. No value of a user is ever in a text. */
const [LOW, HIGH] = ['{{low}}', '{{high}}'];

/**
 * The table as a statement reads it: its rows, and what was unpacked.
 * @param condition which of its rows, in a text without placeholders
 */
export const searchedSource = (storeKind: StoreKind, table: SearchedTable, condition: string): Sql => ({
  sql: `${searchedRows(storeKind, table, condition)} AS "${table.name}"`,
  cells: [],
});

/** The same without a name. */
export function searchedRows(storeKind: StoreKind, table: SearchedTable, condition: string): string {
  const list = listOf(table);
  const rows = `SELECT ${list} FROM "${table.name}" WHERE ${condition} AND "timestamp" >= ${LOW} AND "timestamp" <= ${HIGH}`;
  const cells = table.fields.map(({ name, type }) => {
    if (storeKind === 'sqlite') return `"${name}"`;
    if (type === 'TEXT') return `"${name}" COLLATE "C"`;
    return type === 'JSONB' ? `CAST("${name}" AS JSONB)` : `"${name}"`;
  });
  return `(${rows} UNION ALL SELECT ${cells.join(', ')} FROM "unpacked")`;
}

/** What was unpacked, from one cell of JSON. */
function unpackedText(storeKind: StoreKind, table: SearchedTable): string {
  const { fields } = table;
  if (storeKind === 'sqlite') {
    const cells = fields.map(({ type }, index) => `CAST("value" ->> ${index} AS ${type === 'JSONB' ? 'TEXT' : type})`);
    return `"unpacked" (${listOf(table)}) AS MATERIALIZED (SELECT ${cells.join(', ')} FROM json_each(?))`;
  }
  // What is JSON comes as its text, which the source reads.
  const types = fields.map(({ name, type }) => `"${name}" ${type === 'JSONB' ? 'TEXT' : type}`);
  return `"unpacked" AS MATERIALIZED (SELECT * FROM json_to_recordset(CAST(? AS JSON)) AS "given" (${types.join(', ')}))`;
}

function jsonOf(storeKind: StoreKind, { fields }: SearchedTable, rows: readonly Row[]): string {
  return JSON.stringify(storeKind === 'sqlite' ? rows.map((row) => fields.map(({ name }) => row[name])) : rows);
}

/** More than this is not unpacked for one search. */
const MOST_ROWS = 300_000;
/** Segments that are opened first, where rows come in the order of time and a few are enough. */
const FEW = 2;
const TRIES = 5;

type Searched = Pick<PackedSearch, 'sql' | 'cells' | 'range' | 'direction' | 'enough'>;
interface Place {
  readonly query: AnyQuery;
  readonly storeKind: StoreKind;
}

/** The rows that a statement finds, as JSON. */
export async function searchSegments(
  place: Place,
  table: SearchedTable,
  source: SegmentSource,
  wanted: PackedSearch,
): Promise<string> {
  return presentObjectsAsJson(wanted, await rowsOverSegments(place, table, source, wanted));
}

/** The same as rows. Those that have an id have each cell as it was packed: a statement names no other thing like one. */
export async function rowsOverSegments(
  place: Place,
  table: SearchedTable,
  source: SegmentSource,
  wanted: Searched,
): Promise<Row[]> {
  for (let tries = 1; ; tries += 1) {
    const found = await searchOnce(place, table, source, wanted);
    if (found !== undefined) return found;
    if (tries === TRIES) throw new OutOfTime('The rows change all the time.');
  }
}

/** Undefined where rows were packed or unpacked meanwhile. */
async function searchOnce(
  place: Place,
  table: SearchedTable,
  source: SegmentSource,
  wanted: Searched,
): Promise<Row[] | undefined> {
  const { direction, enough = 0 } = wanted;
  const segments = await source.list();
  const ordered =
    direction === 'descending'
      ? segments.toSorted((a, b) => b.last - a.last)
      : segments.toSorted((a, b) => a.first - b.first);
  for (let few = direction === undefined ? ordered.length : FEW; ; few *= 2) {
    const rows = await matching(place, table, source, wanted, ordered.slice(0, few), ordered[few]);
    if (rows === undefined) return undefined;
    if (few < ordered.length && rows.length < enough) continue;
    const after = await source.list();
    const ids = new Set(segments.map(({ id }) => id));
    return after.length === segments.length && after.every(({ id }) => ids.has(id)) ? rows : undefined;
  }
}

/** @param next the first that is not opened, in the order in which rows are wanted: up to there all are known */
async function matching(
  { query, storeKind }: Place,
  table: SearchedTable,
  source: SegmentSource,
  { sql, cells, direction, range }: Searched,
  opened: readonly SegmentSpan[],
  next: SegmentSpan | undefined,
): Promise<Row[] | undefined> {
  if (!source.areFew && opened.reduce((sum, { count }) => sum + count, 0) > MOST_ROWS)
    throw new OutOfTime('Too many rows would have to be unpacked.');
  const low = next && direction === 'descending' ? Math.max(next.last + 1, range.from) : range.from;
  const high = next && direction === 'ascending' ? Math.min(next.first - 1, range.to) : range.to;
  const unpacked: Row[] = [];
  for (const segment of opened) {
    const rows = await source.open(segment);
    if (rows === undefined) return undefined;
    for (const row of rows)
      if ((row.timestamp as number) >= low && (row.timestamp as number) <= high) unpacked.push(row);
  }
  const text = sql.replaceAll(LOW, String(low)).replaceAll(HIGH, String(high));
  const given = unpackedText(storeKind, table);
  const whole = text.startsWith('WITH ') ? `WITH ${given}, ${text.slice('WITH '.length)}` : `WITH ${given} ${text}`;
  const found = await runSql<Row>(query, storeKind, whole, [jsonOf(storeKind, table, unpacked), ...cells]);
  // A number that went through JSON may differ in its last digit: SQLite does not read each as it was written.
  const exact = new Map(unpacked.map((row) => [row.id, row]));
  return found.map((row) => {
    const same = row.id === undefined ? undefined : exact.get(row.id);
    return same === undefined ? row : { ...row, ...same };
  });
}
