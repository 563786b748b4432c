import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import type { AnyTables } from '../database.ts';
import { numberPlaceholders } from '../placeholders.ts';
import type { Workplace } from '../work.ts';
import { cellTypes } from './types.ts';

const CONNECT_TIMEOUT_MS = 5000;

/** A workplace on a connection of this thread that only reads; a broken one is replaced. */
export function postgresReadWorkplace(
  { url, isPreparing }: { readonly url: string; readonly isPreparing: boolean },
  deadlineMs: number,
): Workplace<AnyTables> {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: deadlineMs,
    query_timeout: deadlineMs,
    application_name: 'trackway read',
    options: '-c default_transaction_read_only=on',
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
