import type { Noun, Shown } from '@trackway/contract/schema.ts';
import { Collection, type RowWriter } from '../../platform/collection.ts';
import type { PackedRows } from '../../platform/packed-rows-of.ts';
import { endDependants, hasDependants } from './dependants.ts';
import { shapeOf } from './shape.ts';
import type { Store, Tables } from './tables.ts';

/** The rows of a noun's table; what they are presented as follows from the noun. */
export function collectionOf<N extends Noun>(
  store: Store,
  table: keyof Tables,
  noun: N,
  more: {
    timeRange?: string;
    isByTime?: boolean;
    isIdUnindexed?: boolean;
    indexed?: readonly string[];
    relations?: readonly string[];
    packed?: PackedRows;
    writer?: RowWriter;
  } = {},
): Collection<Shown<N>> {
  const { relations, packed, writer, ...indexes } = more;
  const beforeRemoving = hasDependants(table)
    ? (tx: unknown, ids: readonly number[]) => endDependants(tx, table, ids)
    : undefined;
  const wiring = { relations, packed, writer, beforeRemoving };
  return new Collection(store, table, { shape: shapeOf(noun), ...indexes }, wiring);
}
