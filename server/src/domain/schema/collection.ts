import type { Noun, Shown } from '@trackway/contract/schema.ts';
import { Collection } from '../../platform/collection.ts';
import { endDependants, hasDependants } from './dependants.ts';
import { shapeOf } from './shape.ts';
import type { Store, Tables } from './tables.ts';

/** The rows of a noun's table; what they are presented as follows from the noun. */
export function collectionOf<N extends Noun>(
  store: Store,
  table: keyof Tables,
  noun: N,
  more: { timeRange?: string; indexed?: readonly string[]; relations?: readonly string[] } = {},
): Collection<Shown<N>> {
  const { relations, ...indexes } = more;
  const beforeRemoving = hasDependants(table)
    ? (tx: unknown, ids: readonly number[]) => endDependants(tx, table, ids)
    : undefined;
  return new Collection(store, table, { shape: shapeOf(noun), ...indexes }, { relations, beforeRemoving });
}
