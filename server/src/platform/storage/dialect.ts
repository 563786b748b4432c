export type StoreKind = 'sqlite' | 'postgres';

/** What differs between the databases, side by side. */
export type ByDatabase<T> = Readonly<Record<StoreKind, T>>;
export type SqlText = string | ByDatabase<string>;

/** The shard with the rows of a device. */
export type ShardOf = (deviceId: number) => number;

/** How the database of a store or a transaction differs from the other one. All else is the same on both. */
export interface Dialect {
  /** As operators know it. */
  readonly name: StoreKind;
  pick<T>(of: ByDatabase<T>): T;
  /** Whether several processes may have the same database. */
  readonly isShared: boolean;
  /**
   * Whether it runs within this process: a statement needs no round trip, others of its thread wait for it, and one
   * transaction that writes follows the other.
   */
  readonly isEmbedded: boolean;
  /** Whether the live log has an order for each slot. */
  readonly hasSlots: boolean;
  /**
   * Whether several servers have the rows of devices: a transaction is cheap only at the server of its device, and results
   * of all of them are joined by none.
   */
  readonly isDistributed: boolean;
  /** Only where it is: the shard of a device. */
  readonly shardOf?: ShardOf;
  /** Whether a table may consist of partitions. */
  readonly hasPartitions: boolean;
  /** A table of ids out of one cell, the JSON text of a list: the statement is the same however many they are. */
  readonly idList: string;
  /** The same of texts. */
  readonly textList: string;
}

export const SQLITE: Dialect = {
  name: 'sqlite',
  pick: ({ sqlite }) => sqlite,
  isShared: false,
  isEmbedded: true,
  hasSlots: false,
  isDistributed: false,
  hasPartitions: false,
  idList: `SELECT "value" AS "id" FROM json_each(?)`,
  textList: `SELECT "value" AS "text" FROM json_each(?)`,
};

export const POSTGRES: Dialect = {
  name: 'postgres',
  pick: ({ postgres }) => postgres,
  isShared: true,
  isEmbedded: false,
  hasSlots: true,
  isDistributed: false,
  hasPartitions: true,
  idList: `SELECT CAST("value" AS BIGINT) AS "id" FROM json_array_elements_text(CAST(? AS JSON))`,
  textList: `SELECT "value" AS "text" FROM json_array_elements_text(CAST(? AS JSON))`,
};

/** PostgreSQL whose tables are distributed by Citus. */
export const citusDialect = (shardOf: ShardOf): Dialect => ({ ...POSTGRES, isDistributed: true, shardOf });

/** Returned by the adapters of both engines, so that every transaction and query has its dialect. */
export interface DialectAdapter {
  readonly dialect: Dialect;
}

export const dialectOf = (query: { getExecutor(): { readonly adapter: object } }): Dialect =>
  (query.getExecutor().adapter as DialectAdapter).dialect;

export const textFor = (dialect: Dialect, sql: SqlText): string => (typeof sql === 'string' ? sql : dialect.pick(sql));
