import { DatabaseSync } from 'node:sqlite';

/**
 * How many bytes each table takes with its indexes, by its name. The day of a bench is sent within minutes, so that all of
 * it comes late: the index that few positions are in otherwise is left out.
 */
export type TableBytes = ReadonlyMap<string, number>;

const LATE_INDEX = 'positions_belated';

export function sqliteBytes(file: string): TableBytes {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database
      .prepare(
        `SELECT s."tbl_name" AS "name", SUM(d."pgsize") AS "bytes" FROM "dbstat" d JOIN "sqlite_schema" s ON s."name" = d."name"
         WHERE d."name" <> '${LATE_INDEX}' GROUP BY 1`,
      )
      .all() as unknown as { name: string; bytes: number }[];
    return new Map(rows.map(({ name, bytes }) => [name, bytes]));
  } finally {
    database.close();
  }
}

export async function postgresBytes(url: string): Promise<TableBytes> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT COALESCE((SELECT CAST(CAST(inhparent AS regclass) AS TEXT) FROM pg_inherits WHERE inhrelid = pg_class.oid AND relispartition),
         relname) AS "name", SUM(pg_table_size(oid) + COALESCE((SELECT SUM(pg_relation_size(indexrelid)) FROM pg_index
         JOIN pg_class i ON i.oid = indexrelid WHERE indrelid = pg_class.oid AND i.relname <> '${LATE_INDEX}'), 0))::float8 AS "bytes"
       FROM pg_class
       WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace) GROUP BY 1`,
    );
    return new Map(rows.map(({ name, bytes }) => [name as string, bytes as number]));
  } finally {
    await client.end();
  }
}
