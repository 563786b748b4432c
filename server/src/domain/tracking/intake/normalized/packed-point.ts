import { isStorableText } from '@trackway/contract/values.ts';
import type { Cell } from '../../../../platform/storage/shape.ts';
import type { ReportedPoint } from '../../../../reports.ts';
import { POINT_COLUMNS } from './point-columns.ts';

/**
 * A position as the list of its cells, in the order of `POINT_COLUMNS`. A list goes to another
 * thread in a fraction of the time that an object takes.
 */
export type PackedPoint = readonly Cell[];

type Name = keyof typeof POINT_COLUMNS;
/** The cells of a position by their names. */
export type PointCells = { readonly [N in Name]: ReturnType<(typeof POINT_COLUMNS)[N]['cellOf']> };

const NAMES = Object.keys(POINT_COLUMNS) as Name[];
const COLUMNS = NAMES.map((name) => POINT_COLUMNS[name]);

/** Where the cells of a packed position are. */
export const CELL = Object.fromEntries(NAMES.map((name, index) => [name, index])) as {
  readonly [N in keyof PointCells]: number;
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
  `[${COLUMNS.map(({ from }, index) => `cellOf${index}(point.${from}, point)`).join(', ')}]`,
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

export const packPoint = (point: ReportedPoint): PackedPoint => cellsOf(point);

/** The cells by their names. */
export const unpackPoint = written<PackedPoint, PointCells>(
  'packed',
  `({ ${NAMES.map((name, index) => `${name}: packed[${index}]`).join(', ')} })`,
  {},
);
