import { Kysely, PostgresDialect } from 'kysely';
import { Client, Pool, type PoolConfig } from 'pg';
import type { AnyTables } from '../database.ts';
import { numberPlaceholders } from '../placeholders.ts';
import type { Workplace } from '../work.ts';
import { Addresses } from './addresses.ts';
import { cellTypes } from './types.ts';

const CONNECT_TIMEOUT_MS = 5000;

/** A workplace on a connection of this thread that only reads; a broken one is replaced. */
export function postgresReadWorkplace(
  { url, isPreparing }: { readonly url: string; readonly isPreparing: boolean },
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
  return {
    storeKind: 'postgres',
    query: new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) }),
    prepare(statement, sql) {
      const name = isPreparing ? statement : undefined;
      const text = numberPlaceholders(sql);
      return {
        get: async (...values) => (await pool.query({ name, text, values })).rows[0],
        all: async (...values) => (await pool.query({ name, text, values })).rows,
        lists: async (...values) => (await pool.query({ name, text, values, rowMode: 'array' })).rows,
      };
    },
  };
}
