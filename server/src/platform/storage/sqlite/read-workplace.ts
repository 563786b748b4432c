import { Kysely } from 'kysely';
import { recentlyUsed } from '../../caches.ts';
import type { AnyTables } from '../database.ts';
import { SQLITE, type SqlText, textFor } from '../dialect.ts';
import type { Statement, Workplace } from '../work.ts';
import { openConnection } from './connection.ts';
import { directDialect } from './dialect.ts';
import { statementOn, statementRunner } from './statements.ts';

/** So many statements stay prepared. */
const PREPARED = 128;

/** A workplace on a connection of this thread that only reads. */
export function sqliteReadWorkplace(file: string): Workplace<AnyTables> {
  const connection = openConnection(file, { readOnly: true });
  const prepared = recentlyUsed(PREPARED, (sql) => statementOn<unknown>(connection, sql));
  return {
    dialect: SQLITE,
    query: new Kysely<AnyTables>({ dialect: directDialect(statementRunner(connection)) }),
    prepare: <R>(_name: string, sql: SqlText) => prepared(textFor(SQLITE, sql)) as Statement<R>,
  };
}
