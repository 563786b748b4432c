import type { Client } from 'pg';

/** The part that a server of PostgreSQL has in a database that Citus spreads. */
export interface CitusServer {
  readonly role: 'coordinator' | 'worker';
  /** How many workers take rows. */
  readonly workers: number;
}

const HAS_EXTENSION = `SELECT 1 FROM pg_extension WHERE extname = 'citus'`;
const ROLE = `SELECT (SELECT "groupid" FROM pg_dist_local_group) AS "group",
  (SELECT COUNT(*) FROM pg_dist_node
   WHERE "groupid" <> 0 AND "noderole" = 'primary' AND "isactive" AND "shouldhaveshards") AS "workers"`;

/** Undefined where the database is an ordinary one, or has the extension and no workers yet. */
export async function findCitus(client: Pick<Client, 'query'>): Promise<CitusServer | undefined> {
  if ((await client.query(HAS_EXTENSION)).rows.length === 0) return undefined;
  const [row] = (await client.query(ROLE)).rows;
  const workers = Number(row.workers);
  return workers === 0 ? undefined : { role: Number(row.group) === 0 ? 'coordinator' : 'worker', workers };
}
