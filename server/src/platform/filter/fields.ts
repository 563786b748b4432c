import type { Field, TableShape } from '../storage/shape.ts';

/** The fields of one table that a filter can use. */
export interface FilterFields {
  readonly shape: TableShape;
  /**
   * The time field of indexes on (parent, time, id) and (parent, id, time); a list over a range of it is cut to 90
   * days.
   */
  readonly timeRange?: string;
  /** Without an order, rows are listed by that time, then by id. */
  readonly isByTime?: boolean;
  /** There is no index ordered by id: such a list is sorted. */
  readonly isIdUnindexed?: boolean;
  /** Fields with an index on (parent, field, id, time): equality on one of these finds its rows without a scan. */
  readonly indexed?: readonly string[];
  /**
   * Whether unknown keys and fields are rejected; otherwise no row matches an unknown field, and other keys are
   * ignored.
   */
  readonly isStrict?: boolean;
}

/** The target of a name in a filter: a column, or a path into the JSON of a column. */
export type FieldTarget =
  | { readonly to: 'column'; readonly column: string; readonly kind: 'integer' | 'number' | 'text' | 'flag' | 'time' }
  | { readonly to: 'texts'; readonly column: string }
  | { readonly to: 'json'; readonly column: string; readonly path: readonly string[] }
  | { readonly to: 'place'; readonly name: string };

export const namesIn = (shape: TableShape) => shape.map(({ name }) => name);

function fieldNamed(fields: FilterFields, name: string): Field | undefined {
  return fields.shape.find((field) => field.name === name);
}

/** Returns undefined if the table has no such field, or if a path enters a value that has no fields. */
export function resolve(fields: FilterFields, name: string): FieldTarget | undefined {
  const whole = fieldNamed(fields, name);
  if (whole) return targetOf(whole);
  const [head = '', ...path] = name.split('.');
  const field = fieldNamed(fields, head);
  if (!field || path.length === 0) return undefined;
  if (field.kind === 'place' && path.length === 1) {
    if (path[0] === 'lat') return { to: 'column', column: `${head}Lat`, kind: 'number' };
    if (path[0] === 'lng') return { to: 'column', column: `${head}Lng`, kind: 'number' };
    return undefined;
  }
  if (field.kind !== 'json' || path.includes('')) return undefined;
  return { to: 'json', column: head, path };
}

function targetOf(field: Field): FieldTarget {
  switch (field.kind) {
    case 'json':
      return { to: 'json', column: field.name, path: [] };
    case 'texts':
      return { to: 'texts', column: field.name };
    case 'place':
      return { to: 'place', name: field.name };
    default:
      return { to: 'column', column: field.name, kind: field.kind };
  }
}
