import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { type RawBuilder, sql } from 'kysely';
import type { Cell } from '../storage/shape.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { packNumbers, packTexts, unpackNumbers, unpackTexts } from './columns.ts';

/** The usual formats of columns. */
export const number = (decimals = 0) => ({ kind: 'number', decimals }) as const;
export const text = { kind: 'text' } as const;

/** SQLite returns bytes, PostgreSQL hexadecimal text. */
const bytesOf = (data: Uint8Array | string): Uint8Array =>
  typeof data === 'string' ? Buffer.from(data.slice(2), 'hex') : data;

interface RowCodec<Row> {
  readonly names: readonly (keyof Row & string)[];
  pack(rows: readonly Row[]): Uint8Array;
  /** In the order of packing. */
  unpack<Name extends keyof Row & string>(data: Uint8Array | string, wanted: readonly Name[]): Pick<Row, Name>[];
  /** Null with the PostgreSQL type of the column, which is required in a union of different rows. */
  nullOf(name: keyof Row & string): RawBuilder<null>;
}

/**
 * Packs and unpacks rows of a table.
 * @param given how each column is packed. Their order is stored in databases: a new column must be appended
 */
export function rowCodec<Row extends { readonly [Name in keyof Row]: Cell }>(
  given: Readonly<Record<keyof Row & string, Omit<PackedColumn, 'name'>>>,
): RowCodec<Row> {
  const names = Object.keys(given) as (keyof Row & string)[];
  const columns: readonly PackedColumn[] = names.map((name) => ({ name, ...given[name] }));
  return {
    names,
    pack: (rows) => packRows(columns, rows.length, (name) => rows.map((row) => row[name as keyof Row] as Cell)),
    unpack<Name extends keyof Row & string>(data: Uint8Array | string, wanted: readonly Name[]) {
      const { count, cellsOf } = unpackRows(columns, bytesOf(data), new Set(wanted));
      const cells = wanted.map((name) => cellsOf(name));
      const rows: Pick<Row, Name>[] = [];
      for (let index = 0; index < count; index += 1) {
        const row: Record<string, Cell> = {};
        for (let column = 0; column < wanted.length; column += 1) row[wanted[column]!] = cells[column]![index]!;
        // Each cell comes from the column of its name, which the type system cannot express.
        rows.push(row as unknown as Pick<Row, Name>);
      }
      return rows;
    },
    nullOf(name) {
      const { kind, decimals, isJson } = given[name];
      if (isJson) return sql`CAST(NULL AS JSONB)`;
      if (kind === 'text') return sql`CAST(NULL AS TEXT)`;
      return decimals ? sql`CAST(NULL AS DOUBLE PRECISION)` : sql`CAST(NULL AS BIGINT)`;
    },
  };
}

/**
 * Packs rows of a table losslessly, column by column. Columns are identified by their index in a list, and new columns
 * may only be appended; rows that were packed before have null there.
 */

export interface PackedColumn {
  readonly name: string;
  readonly kind: 'number' | 'text';
  /** Numbers: their usual number of decimals. */
  readonly decimals?: number;
  /** Numbers: stored as the difference to this column, which precedes it and is never null. */
  readonly against?: string;
  /** Texts: JSON whose type is the text in this column, which precedes it and is never null. */
  readonly kindIn?: string;
  /** Texts: whether they are JSON. */
  readonly isJson?: true;
}

/** The first byte: the format of the following bytes. */
const PLAIN = 1;
const COMPRESSED = 2;

/**
 * Measured on simulated traces, in bytes and µs of CPU time per position: deflate 11.0 (1.1 to pack), zstd at 12 10.95
 * (0.6), Brotli at 5 10.6 (0.5), at 11 9.8 (41). All unpack in less than 0.2.
 */
const QUALITY = 5;

/** More than any day of a device has: bounds unpacking. */
const MAX_ROWS = 1_000_000;
const MAX_BYTES = 256 * 1024 * 1024;

type CellsOf = (name: string) => readonly Cell[];

/** @param cellsOf the cells of a column, one for each row */
export function packRows(columns: readonly PackedColumn[], count: number, cellsOf: CellsOf): Uint8Array {
  if (count > MAX_ROWS) throw new RangeError(`${count} rows are too many to be packed together.`);
  const into = new ByteWriter();
  into.whole(count);
  into.whole(columns.length);
  for (const column of columns) {
    const part = new ByteWriter();
    const cells = cellsOf(column.name);
    if (column.kindIn !== undefined)
      packJson(part, cells as (string | null)[], cellsOf(column.kindIn) as readonly string[]);
    else if (column.kind === 'text') packTexts(part, cells as (string | null)[]);
    else packColumn(part, column, cells as (number | null)[], cellsOf);
    into.whole(part.length);
    into.bytes(part.finished());
  }
  return compressed(into.finished());
}

/** @param wanted only these columns are unpacked */
export function unpackRows(
  columns: readonly PackedColumn[],
  data: Uint8Array,
  wanted: ReadonlySet<string> | undefined,
): { readonly count: number; readonly cellsOf: CellsOf } {
  const from = new ByteReader(decompressed(data));
  const count = from.whole();
  if (count > MAX_ROWS) throw new RangeError('The packed form is damaged.');
  const packed = from.whole();
  const needed =
    wanted &&
    new Set([
      ...wanted,
      ...columns.flatMap(({ name, against, kindIn }) => (wanted.has(name) ? [against, kindIn] : [])),
    ]);
  const cells = new Map<string, readonly Cell[]>();
  for (const column of columns.slice(0, packed)) {
    const part = from.bytes(from.whole());
    if (needed && !needed.has(column.name)) continue;
    const reader = new ByteReader(part);
    if (column.kindIn !== undefined)
      cells.set(column.name, unpackJson(reader, cells.get(column.kindIn) as readonly string[]));
    else if (column.kind === 'text') cells.set(column.name, unpackTexts(reader, count));
    else cells.set(column.name, unpackColumn(reader, column, count, cells));
  }
  const missing: readonly Cell[] = new Array(count).fill(null);
  return { count, cellsOf: (name) => cells.get(name) ?? missing };
}

/** For integers this small, differences and sums are exact. */
const isSmall = (value: number | null) => value === null || (Number.isSafeInteger(value) && Math.abs(value) < 2 ** 51);

function packColumn(into: ByteWriter, column: PackedColumn, cells: readonly (number | null)[], cellsOf: CellsOf): void {
  const { against, decimals = 0 } = column;
  if (against === undefined) {
    packNumbers(into, cells, decimals);
    return;
  }
  const base = cellsOf(against) as readonly number[];
  const areExact = cells.every(isSmall) && base.every(isSmall) && !cells.some((cell) => Object.is(cell, -0));
  into.byte(areExact ? 1 : 0);
  const differences = cells.map((cell, index) => (cell === null ? null : cell - base[index]!));
  packNumbers(into, areExact ? differences : cells, decimals);
}

function unpackColumn(
  from: ByteReader,
  { against }: PackedColumn,
  count: number,
  known: ReadonlyMap<string, readonly Cell[]>,
): (number | null)[] {
  const areDifferences = against !== undefined && from.byte() === 1;
  const cells = unpackNumbers(from, count);
  if (!areDifferences) return cells;
  const base = known.get(against) as readonly number[];
  return cells.map((cell, index) => (cell === null ? null : cell + base[index]!));
}

function compressed(plain: Uint8Array): Uint8Array {
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  const shorter = brotliCompressSync(plain, { params });
  return shorter.length < plain.length
    ? Buffer.concat([Uint8Array.of(COMPRESSED), shorter])
    : Buffer.concat([Uint8Array.of(PLAIN), plain]);
}

function decompressed(data: Uint8Array): Uint8Array {
  const remaining = data.subarray(1);
  if (data[0] === PLAIN) return remaining;
  if (data[0] === COMPRESSED) return brotliDecompressSync(remaining, { maxOutputLength: MAX_BYTES });
  throw new RangeError(`There is no packed form ${data[0]}.`);
}

/**
 * A column of JSON texts whose type depends on another column: the value of a thermometer is a number, that of a button
 * a word. The texts of each type are packed separately, as numbers if all of them are.
 */

/** The formats of the texts of one type. They are stored in databases: a code never changes its meaning. */
const NUMBERS = 1;
const TEXTS = 2;

/** Numbers with more decimals are stored separately. */
const DECIMALS = 6;

const isNumber = (text: string) => {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text;
};

/** @param kinds the type of each row, never null */
function packJson(into: ByteWriter, cells: readonly (string | null)[], kinds: readonly string[]): void {
  for (const places of placesOf(kinds).values()) {
    const some = places.map((place) => cells[place]!);
    if (some.every((cell) => cell === null || isNumber(cell))) {
      into.byte(NUMBERS);
      packNumbers(
        into,
        some.map((cell) => (cell === null ? null : Number(cell))),
        DECIMALS,
      );
    } else {
      into.byte(TEXTS);
      packTexts(into, some);
    }
  }
}

function unpackJson(from: ByteReader, kinds: readonly string[]): (string | null)[] {
  const cells: (string | null)[] = new Array(kinds.length).fill(null);
  for (const places of placesOf(kinds).values()) {
    const some = unpackSome(from, places.length);
    places.forEach((place, index) => {
      cells[place] = some[index]!;
    });
  }
  return cells;
}

function unpackSome(from: ByteReader, count: number): (string | null)[] {
  const form = from.byte();
  if (form === NUMBERS) return unpackNumbers(from, count).map((number) => (number === null ? null : String(number)));
  if (form === TEXTS) return unpackTexts(from, count);
  throw new RangeError(`There is no form ${form} of a column of JSON.`);
}

/** The rows of each type, in the order of the first appearance of types. */
function placesOf(kinds: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  kinds.forEach((kind, place) => {
    const others = places.get(kind);
    if (others === undefined) places.set(kind, [place]);
    else others.push(place);
  });
  return places;
}
