import { PostgresAdapter, PostgresDialect, type PostgresPool } from 'kysely';
import type { Dialect, DialectAdapter } from '../dialect.ts';

/** PostgreSQL's type ids. */
const BOOL = 16;
const NUMBERS = new Set([20 /* int8 */, 21 /* int2 */, 23 /* int4 */, 700 /* float4 */, 701 /* float8 */, 1700]);

/**
 * Cells are returned as SQLite returns them: numbers as numbers, booleans as 0 or 1, everything else, including JSON,
 * as text.
 */
export const cellTypes = {
  getTypeParser(type: number): (text: string) => string | number {
    if (NUMBERS.has(type)) return Number;
    if (type === BOOL) return (text) => (text === 't' ? 1 : 0);
    return (text) => text;
  },
};

class KnownPostgresAdapter extends PostgresAdapter implements DialectAdapter {
  readonly dialect: Dialect;

  constructor(dialect: Dialect) {
    super();
    this.dialect = dialect;
  }
}

/** Kysely on a pool of `pg`. */
export const postgresDialect = (pool: PostgresPool, dialect: Dialect) =>
  Object.assign(new PostgresDialect({ pool }), { createAdapter: () => new KnownPostgresAdapter(dialect) });
