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
  /** Its columns as DDL with the placeholders of `ddl()`, without the id. */
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

/** A view, or a table that differs between the engines. */
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
 * On PostgreSQL the primary key and the unique indexes of a table of devices contain the column that names the device, so
 * that it can be distributed by it, and its ids come from a plain sequence, which stays at the coordinator. An index finds
 * rows by their id alone.
 */
function tableText(storeKind: StoreKind, table: Table): string {
  const { name, columns, key, unique = {}, indexes = {}, more } = table;
  const by = storeKind === 'postgres' ? distributedBy(name) : undefined;
  const isNumbered = key === undefined && by !== undefined;
  const lines = [columns.trim()];
  if (key === undefined)
    lines.unshift(isNumbered ? `"id" BIGINT NOT NULL DEFAULT nextval('"${name}_ids"')` : '"id" {id}');
  const primary = key ?? (isNumbered ? [...new Set([by, 'id'])] : undefined);
  if (primary !== undefined) lines.push(`PRIMARY KEY (${quoted(primary)})`);
  if (storeKind === 'sqlite') lines.push(...foreignKeys(storeKind, table));
  return [
    isNumbered ? `CREATE SEQUENCE "${name}_ids";` : '',
    `CREATE TABLE "${name}" (\n  ${lines.join(',\n  ')}\n);`,
    isNumbered ? `ALTER SEQUENCE "${name}_ids" OWNED BY "${name}"."id";` : '',
    isNumbered && by !== 'id' ? `CREATE INDEX "${name}_id" ON "${name}" ("id");` : '',
    ...Object.entries(unique).map(([part, on]) => `CREATE UNIQUE INDEX "${name}_${part}" ON "${name}" ${on};`),
    ...Object.entries(indexes)
      .filter(([, on]) => primary === undefined || on !== `(${quoted(primary)})`)
      .map(([part, on]) => `CREATE INDEX "${name}_${part}" ON "${name}" ${on};`),
    textFor(storeKind, more),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

/** On PostgreSQL keys are added once all tables are there, since two tables can refer to each other. */
export function keysText(storeKind: StoreKind, definition: Table | Written): string {
  if (storeKind === 'sqlite' || !('columns' in definition)) return '';
  return foreignKeys(storeKind, definition)
    .map((key) => `ALTER TABLE "${definition.name}" ADD ${key};`)
    .join('\n');
}

/** Written with every report or delivery: on PostgreSQL their references are not checked. */
const UNCHECKED: readonly string[] = ['devices', 'outbox', 'checkpoints'];

/**
 * On PostgreSQL a row of a device refers to another one of the same device by the device and the id, so that Citus holds
 * the key within a shard. Rows of devices, except the devices, cannot be referred to from elsewhere. Which other keys Citus
 * cannot hold follows from the placements; `dependants.ts` does their work.
 */
function foreignKeys(storeKind: StoreKind, { name, references = {} }: Table): string[] {
  if (storeKind === 'postgres' && UNCHECKED.includes(name)) return [];
  return Object.entries(references).flatMap(([column, { to, onDelete }]) => {
    const toBy = storeKind === 'postgres' ? distributedBy(to) : undefined;
    const isWithin = toBy !== undefined && toBy !== 'id';
    if (isWithin && distributedBy(name) !== toBy) return [];
    const key = isWithin
      ? `("${toBy}", "${column}") REFERENCES "${to}" ("${toBy}", "id")`
      : `("${column}") REFERENCES "${to}" ("id")`;
    // Citus cannot set a part of such a key to null: `dependants.ts` does before a row is deleted.
    const action = onDelete === 'SET NULL' && isWithin ? undefined : onDelete;
    return `FOREIGN KEY ${key}${action ? ` ON DELETE ${action}` : ''}`;
  });
}

/** The column that names the device, for a table that Citus distributes. */
function distributedBy(table: string): string | undefined {
  const placement = (PLACEMENTS as Readonly<Record<string, Placement>>)[table]!;
  return placement.place === 'distributed' ? placement.by : undefined;
}

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
