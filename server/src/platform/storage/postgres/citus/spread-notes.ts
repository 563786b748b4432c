import type { Client } from 'pg';

/** The table of a spread that is not finished: it contains what must be restored at its end. */
const UNFINISHED_SPREAD = 'unfinishedSpread';

export async function isSpreadUnfinished(client: Client): Promise<boolean> {
  const { rows } = await client.query(`SELECT to_regclass('"${UNFINISHED_SPREAD}"') IS NOT NULL AS "isThere"`);
  return Boolean(rows[0].isThere);
}

export async function noteSpread(client: Client, what: string, value: unknown): Promise<void> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS "${UNFINISHED_SPREAD}" ("what" TEXT PRIMARY KEY, "value" JSONB NOT NULL)`,
  );
  await client.query(
    `INSERT INTO "${UNFINISHED_SPREAD}" ("what", "value") VALUES ($1, $2)
     ON CONFLICT ("what") DO UPDATE SET "value" = excluded."value"`,
    [what, JSON.stringify(value)],
  );
}

export async function notedOfSpread<T>(client: Client, what: string): Promise<T | undefined> {
  if (!(await isSpreadUnfinished(client))) return undefined;
  const { rows } = await client.query(
    `SELECT CAST("value" AS TEXT) AS "value" FROM "${UNFINISHED_SPREAD}" WHERE "what" = $1`,
    [what],
  );
  return rows.length === 0 ? undefined : (JSON.parse(rows[0].value) as T);
}

export const endSpread = (client: Client) => client.query(`DROP TABLE IF EXISTS "${UNFINISHED_SPREAD}"`);
