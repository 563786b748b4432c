import { isoTime } from '../times.ts';

/**
 * What a table's rows look like, in the few kinds that both engines store the same way.
 *
 * | kind    | SQLite            | PostgreSQL              | in a row object |
 * |---------|-------------------|-------------------------|-----------------|
 * | integer | INTEGER           | BIGINT                  | number          |
 * | number  | REAL              | DOUBLE PRECISION        | number          |
 * | text    | TEXT              | TEXT COLLATE "C"        | string          |
 * | flag    | INTEGER 0/1       | BIGINT 0/1              | 0 or 1          |
 * | time    | INTEGER epoch ms  | BIGINT epoch ms         | number          |
 * | json    | TEXT              | JSONB                   | JSON text       |
 * | texts   | TEXT (JSON array) | JSONB (array of strings)| JSON text       |
 * | place   | two REAL columns `<name>Lat`, `<name>Lng`   | two numbers     |
 *
 * A column bears the name of its field.
 */
export type Kind = 'integer' | 'number' | 'text' | 'flag' | 'time' | 'json' | 'texts' | 'place';

export interface Field {
  readonly name: string;
  readonly kind: Kind;
}

/** The fields of a table's rows. `Shown` is the type of a row once it is presented; it exists for the compiler only. */
export interface TableShape<Shown extends object = object> extends ReadonlyArray<Field> {
  readonly shown?: Shown;
}

/** A value that is bound to a statement or returned in a row. */
export type Cell = string | number | null;
export type Row = Record<string, Cell>;

export function columnsOf(field: Field): string[] {
  return field.kind === 'place' ? [`${field.name}Lat`, `${field.name}Lng`] : [field.name];
}

/** A row as the API shows it: ISO times, booleans, parsed JSON, places as `{lat, lng}`; null where unset. */
export function presentRow<Shown extends object>(shape: TableShape<Shown>, row: Row): Shown {
  const shown: Record<string, unknown> = {};
  for (const { name, kind } of shape) shown[name] = presentCell(kind, name, row);
  // The shape was read off the schema that `Shown` is the type of: no type can follow a loop over its fields.
  return shown as Shown;
}

function presentCell(kind: Kind, name: string, row: Row): unknown {
  if (kind === 'place') {
    const lat = row[`${name}Lat`];
    return lat === null || lat === undefined ? null : { lat, lng: row[`${name}Lng`] };
  }
  const cell = row[name];
  if (cell === null || cell === undefined) return null;
  switch (kind) {
    case 'time':
      return isoTime(cell as number);
    case 'flag':
      return cell !== 0;
    case 'json':
    case 'texts':
      return JSON.parse(cell as string);
    default:
      return cell;
  }
}

/** The cells of a value that the API took in: the reverse of `presentRow`, for the fields that are there. */
export function storeValues(shape: TableShape, values: Readonly<Record<string, unknown>>): Row {
  const row: Row = {};
  for (const { name, kind } of shape) {
    if (!Object.hasOwn(values, name)) continue;
    const value = values[name];
    if (kind === 'place') {
      const place = value as { lat: number; lng: number } | null;
      row[`${name}Lat`] = place?.lat ?? null;
      row[`${name}Lng`] = place?.lng ?? null;
    } else row[name] = storeCell(kind, value);
  }
  return row;
}

function storeCell(kind: Kind, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case 'flag':
      return value ? 1 : 0;
    case 'time':
      return typeof value === 'number' ? value : Date.parse(value as string);
    case 'json':
    case 'texts':
      return JSON.stringify(value);
    default:
      return value as Cell;
  }
}
