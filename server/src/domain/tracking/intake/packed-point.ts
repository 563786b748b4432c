import { hash } from 'node:crypto';
import { LOCATION_TYPES } from '@trackway/contract/resources/point.ts';
import { isStorableText } from '@trackway/contract/values.ts';
import type { Columns } from '../../../platform/storage/bulk.ts';
import type { Cell } from '../../../platform/storage/shape.ts';
import type { ReportedPoint } from '../../../reports.ts';
import { POINT_COLUMNS } from './point-columns.ts';

/**
 * A position as the list of its cells, in the order of `POINT_COLUMNS`, with its hash at the end. A list goes to another
 * thread in a fraction of the time that an object takes, and is the end of a row to insert as it is.
 */
export type PackedPoint = readonly Cell[];

type Name = keyof typeof POINT_COLUMNS;
/** The cells of a position by their names. */
export type PointCells = { readonly [N in Name]: ReturnType<(typeof POINT_COLUMNS)[N]['cellOf']> } & {
  /** The same position reported again has the same. */
  readonly hash: string;
};

const NAMES = Object.keys(POINT_COLUMNS) as Name[];
const COLUMNS = NAMES.map((name) => POINT_COLUMNS[name]);
const HASH = NAMES.length;

/** Where the cells of a packed position are. */
export const CELL = Object.fromEntries([...NAMES, 'hash'].map((name, index) => [name, index])) as {
  readonly [N in keyof PointCells]: number;
};

/** The columns of a packed position, for the statement that inserts it. */
export const PACKED_COLUMNS: Columns = {
  ...Object.fromEntries(NAMES.map((name) => [name, POINT_COLUMNS[name].kind])),
  hash: 'text',
};

/**
 * A function that is written out from the list, once at the start. A loop over the list takes half as long again for each
 * position, since the engine cannot inline what such a loop calls. The text is made of the names in the list alone, never
 * of data.
 */
function written<Argument, Result>(
  parameter: string,
  expression: string,
  given: Readonly<Record<string, unknown>>,
): (argument: Argument) => Result {
  return new Function(...Object.keys(given), `return (${parameter}) => ${expression};`)(...Object.values(given));
}

const cellsOf = written<ReportedPoint, Cell[]>(
  'point',
  `[${COLUMNS.map(({ from }, index) => `cellOf${index}(point.${from}, point)`).join(', ')}, null]`,
  Object.fromEntries(COLUMNS.map(({ cellOf }, index) => [`cellOf${index}`, cellOf])),
);

/** Whether the store can take the texts of a position. */
export const hasStorableTexts = written<ReportedPoint, boolean>(
  'point',
  COLUMNS.filter(({ isFreeText }) => isFreeText)
    .map(({ from }) => `(point.${from} === undefined || isStorableText(point.${from}))`)
    .join(' && '),
  { isStorableText },
);

export function packPoint(point: ReportedPoint): PackedPoint {
  const cells = cellsOf(point);
  cells[HASH] = identityOf(cells);
  return cells;
}

/** The cells by their names, for what needs all of them. */
export function unpackPoint(packed: PackedPoint): PointCells {
  const cells: Record<string, Cell> = {};
  for (const [index, name] of NAMES.entries()) cells[name] = packed[index]!;
  cells.hash = packed[HASH]!;
  // Each cell was made by the function of its column, in this order: no type can follow that.
  return cells as unknown as PointCells;
}

/** Stands for an unset cell: no value is infinite. */
const NO_VALUE = Number.NEGATIVE_INFINITY;
/** Zero has two signs, which mean the same. */
const numberOf = (cell: number | null) => (cell === null ? NO_VALUE : cell + 0);

const IDENTITY = NAMES.filter((name) => POINT_COLUMNS[name].isIdentity).map((name) => CELL[name]);
const numbers = new Float64Array(1 + IDENTITY.length);
const bytes = new Uint8Array(numbers.buffer);
const setNumbers = written<PackedPoint, void>(
  'cells',
  `{ ${IDENTITY.map((cell, index) => `numbers[${index + 1}] = numberOf(cells[${cell}]);`).join(' ')} }`,
  { numbers, numberOf },
);
const LOCATION_TYPE = CELL.locationType;

/** Hashes the numbers as they are: writing them out as text would cost three times as much. */
function identityOf(cells: PackedPoint): string {
  numbers[0] = (LOCATION_TYPES as readonly Cell[]).indexOf(cells[LOCATION_TYPE]!);
  setNumbers(cells);
  return shortHash(bytes);
}

/** What is the same has the same hash, however often it is reported. */
export const shortHash = (content: string | Uint8Array) => hash('sha1', content, 'base64url').slice(0, 16);
