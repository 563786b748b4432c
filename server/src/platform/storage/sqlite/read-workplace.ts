import { Kysely } from 'kysely';
import type { AnyTables } from '../database.ts';
import type { Workplace } from '../work.ts';
import { openConnection } from './connection.ts';
import { directDialect } from './dialect.ts';
import { statementOn, statementRunner } from './statements.ts';

/** A workplace on a connection of this thread that only reads. */
export function sqliteReadWorkplace(file: string): Workplace<AnyTables> {
  const connection = openConnection(file, { readOnly: true });
  return {
    storeKind: 'sqlite',
    query: new Kysely<AnyTables>({ dialect: directDialect(statementRunner(connection)) }),
    prepare: (_name, sql) => statementOn(connection, sql),
  };
}
