import type { Noun } from '@trackway/contract/schema.ts';
import { Collection } from '../../platform/collection.ts';
import { shapeOf } from './shape.ts';
import type { Store, Tables } from './tables.ts';

/** The rows of a noun's table. */
export function collectionOf(
  store: Store,
  table: keyof Tables,
  noun: Noun,
  more: { timeRange?: string; indexed?: readonly string[]; relations?: readonly string[] } = {},
): Collection {
  const { relations, ...indexes } = more;
  return new Collection(store as never, table, { shape: shapeOf(noun), ...indexes }, { relations });
}
