import { Kysely } from 'kysely';
import { Client, Pool, type PoolConfig } from 'pg';
import type { AnyTables } from '../database.ts';
import { citusDialect, POSTGRES, textFor } from '../dialect.ts';
import { numberPlaceholders } from '../run-sql.ts';
import type { Workplace } from '../work.ts';
import { Addresses } from './addresses.ts';
import { shardIn } from './citus/shards.ts';
import { storePool } from './store-clients.ts';
import { cellTypes, postgresDialect } from './types.ts';

const CONNECT_TIMEOUT_MS = 5000;

/** A workplace on a connection of this thread that only reads; a broken one is replaced. */
export function postgresReadWorkplace(
  {
    url,
    isPreparing,
    shards,
  }: { readonly url: string; readonly isPreparing: boolean; readonly shards?: readonly number[] | undefined },
  deadlineMs: number,
): Workplace<AnyTables> {
  // A pooler in transaction mode refuses what is to hold for a connection.
  const ofSession: PoolConfig = { statement_timeout: deadlineMs, options: '-c default_transaction_read_only=on' };
  const pool = new Pool({
    ...new Addresses(url).poolConfig(Client),
    ...(isPreparing && ofSession),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: deadlineMs,
    application_name: 'trackway read',
    max: 1,
    types: cellTypes,
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const clients = storePool(pool, { toStoreError: (error) => error, isPreparing, committedRows: () => {} });
  const dialect = shards ? citusDialect(shardIn(shards)) : POSTGRES;
  return {
    dialect,
    query: new Kysely<AnyTables>({ dialect: postgresDialect(clients, dialect) }),
    prepare(statement, sql) {
      const text = numberPlaceholders(textFor(dialect, sql));
      const ask = (cells: readonly unknown[]) => ({
        name: isPreparing ? statement : undefined,
        text,
        values: [...cells],
      });
      return {
        get: async (...cells) => (await pool.query(ask(cells))).rows[0],
        all: async (...cells) => (await pool.query(ask(cells))).rows,
        lists: async (...cells) => (await pool.query({ ...ask(cells), rowMode: 'array' })).rows,
      };
    },
  };
}
