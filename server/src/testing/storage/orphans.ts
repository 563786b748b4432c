import { sql } from 'kysely';
import { SCHEMA } from '../../domain/schema/migrations/0001-schema.ts';
import type { Store } from '../../domain/schema/tables.ts';

/**
 * References that no foreign key holds, since rows are written with every report. Entries of the live log may outlive their
 * device by a day: that it was deleted is one of them.
 */
const UNDECLARED = [
  ['positions', 'deviceId', 'devices'],
  ['positionSegments', 'deviceId', 'devices'],
  ['gatewayReadings', 'reporterId', 'devices'],
  ['readingSegments', 'reporterId', 'devices'],
  ['outbox', 'deviceId', 'devices'],
  ['outboxRelay', 'deviceId', 'devices'],
  ['readingRelay', 'deviceId', 'devices'],
] as const;

/** Rows that refer to a row that is gone, as `table.column`; PostgreSQL checks only a part of them itself. */
export async function orphans({ query }: Pick<Store, 'query'>): Promise<string[]> {
  const declared = Object.values(SCHEMA)
    .flat()
    .flatMap((definition) =>
      'references' in definition
        ? Object.entries(definition.references ?? {}).map(([column, { to }]) => [definition.name, column, to] as const)
        : [],
    );
  const found: string[] = [];
  for (const [table, column, to] of [...declared, ...UNDECLARED]) {
    // Not as one statement: Citus has no join of a table of the coordinator with one of the workers for it.
    const { rows: ids } = await sql<{ id: number }>`SELECT "id" FROM ${sql.table(to)} WHERE "id" > 0`.execute(query);
    const { rows } = await sql<{ id: number }>`SELECT DISTINCT ${sql.ref(column)} AS "id" FROM ${sql.table(table)}
      WHERE ${sql.ref(column)} > 0`.execute(query);
    const known = new Set(ids.map(({ id }) => id));
    if (rows.some(({ id }) => !known.has(id))) found.push(`${table}.${column}`);
  }
  return found;
}
