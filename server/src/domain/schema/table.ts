import type { Noun, Shown } from '@trackway/contract/schema.ts';
import { Collection, type RowWriter } from '../../platform/collection.ts';
import type { PackedRows } from '../../platform/packing/search-segments.ts';
import type { StoreKind } from '../../platform/storage/dialect.ts';
import type { Placement } from '../../platform/storage/placement.ts';
import { endDependants, hasDependants } from './dependants.ts';
import { PLACEMENTS } from './placement.ts';
import { shapeOf } from './shape.ts';
import type { Store, Tables } from './tables.ts';

/** A table of the schema, for both engines. `docs/develop/schema.md` is generated from these definitions. */
export interface Table {
  readonly name: string;
  /** What it contains, in one line. */
  readonly purpose: string;
  /** Its columns as DDL with the placeholders of `ddl()`, without the id and the slot. */
  readonly columns: string;
  /** The primary key. Without it, the table has an id that counts up. */
  readonly key?: readonly string[];
  /** The columns that refer to the id of another table. */
  readonly references?: Readonly<Record<string, Reference>>;
  /** Columns and condition by the last part of the index's name. */
  readonly unique?: Readonly<Record<string, string>>;
  readonly indexes?: Readonly<Record<string, string>>;
  /** Further statements. */
  readonly more?: EngineText;
}

/** A view, or a table that differs between the engines by more than its slot. */
export interface Written {
  readonly name: string;
  readonly purpose: string;
  readonly create: EngineText;
}

/** For both engines, or for the named ones. */
type EngineText = string | Readonly<Partial<Record<StoreKind, string>>>;

interface Reference {
  readonly to: string;
  /** What happens to the row when that row is deleted; without it, that row cannot be deleted. */
  readonly onDelete?: 'CASCADE' | 'SET NULL';
}

export const cascade = (to: string): Reference => ({ to, onDelete: 'CASCADE' });
export const setNull = (to: string): Reference => ({ to, onDelete: 'SET NULL' });
export const restrict = (to: string): Reference => ({ to });

/** The DDL of a table or view on one engine, with the placeholders of `ddl()`. */
export function createText(storeKind: StoreKind, definition: Table | Written): string {
  if ('columns' in definition) return tableText(storeKind, definition);
  return textFor(storeKind, definition.create);
}

const textFor = (storeKind: StoreKind, text: EngineText = '') =>
  typeof text === 'string' ? text : (text[storeKind] ?? '');

/**
 * On PostgreSQL a table with slots begins its primary key and unique indexes with the slot, so that it can be
 * distributed by it, and takes its ids from a plain sequence, so that each server can take a share of them. An index
 * finds rows by their id alone.
 */
function tableText(storeKind: StoreKind, table: Table): string {
  const { name, columns, key, unique = {}, indexes = {}, more } = table;
  const isSlotted = storeKind === 'postgres' && hasSlot(name);
  const slot = isSlotted ? '"slot", ' : '';
  const lines = [columns.trim()];
  if (key === undefined)
    lines.unshift(isSlotted ? `"id" BIGINT NOT NULL DEFAULT nextval('"${name}_ids"')` : '"id" {id}');
  if (isSlotted) lines.push('"slot" SMALLINT NOT NULL');
  if (key !== undefined || isSlotted) lines.push(`PRIMARY KEY (${slot}${quoted(key ?? ['id'])})`);
  lines.push(...foreignKeys(storeKind, table));
  const ids = isSlotted && key === undefined;
  return [
    ids ? `CREATE SEQUENCE "${name}_ids";` : '',
    `CREATE TABLE "${name}" (\n  ${lines.join(',\n  ')}\n);`,
    ids ? `ALTER SEQUENCE "${name}_ids" OWNED BY "${name}"."id";\nCREATE INDEX "${name}_id" ON "${name}" ("id");` : '',
    ...Object.entries(unique).map(
      ([part, on]) => `CREATE UNIQUE INDEX "${name}_${part}" ON "${name}" ${on.replace('(', `(${slot}`)};`,
    ),
    ...Object.entries(indexes).map(([part, on]) => `CREATE INDEX "${name}_${part}" ON "${name}" ${on};`),
    textFor(storeKind, more),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

/** Written with every report or delivery: on PostgreSQL their references are not checked. */
const UNCHECKED: readonly string[] = ['outbox', 'checkpoints'];

/**
 * On PostgreSQL rows of the same device refer to each other by slot and id, so that Citus holds the key within a shard. A
 * table without slots cannot refer to one with slots. A distributed table does not refer to one that is copied to every server:
 * a transaction that has written to several shards could not write to the copies. A table that is copied does not refer to one
 * that is not, since Citus would delete and clear nothing by such a key.
 */
function foreignKeys(storeKind: StoreKind, { name, references = {} }: Table): string[] {
  const slotted = (table: string) => storeKind === 'postgres' && hasSlot(table);
  return Object.entries(references).flatMap(([column, { to, onDelete }]) => {
    const isWithin = slotted(name) && slotted(to);
    if (storeKind === 'postgres' && UNCHECKED.includes(name)) return [];
    if (!isWithin && (slotted(to) || (slotted(name) && placementOf(name).place === 'distributed'))) return [];
    if (storeKind === 'postgres' && placementOf(name).place === 'reference' && placementOf(to).place === 'local')
      return [];
    const key = isWithin
      ? `("slot", "${column}") REFERENCES "${to}" ("slot", "id")`
      : `("${column}") REFERENCES "${to}" ("id")`;
    // Citus cannot set a part of such a key to null: `dependants.ts` does before a row is deleted.
    const action = onDelete === 'SET NULL' && isWithin ? undefined : onDelete;
    return `FOREIGN KEY ${key}${action ? ` ON DELETE ${action}` : ''}`;
  });
}

const placementOf = (table: string) => (PLACEMENTS as Readonly<Record<string, Placement>>)[table]!;
const hasSlot = (table: string) => 'by' in placementOf(table);

const quoted = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ');

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
