import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * Databases of a Citus cluster: each is one of that name at the coordinator and at every worker. A copy copies all of
 * them, which is far quicker than to spread tables anew.
 */

/** The coordinator of the cluster that tests are given, by the address of a database that knows its workers. */
export const citusUrl = () => process.env.TRACKWAY_TEST_CITUS_URL || undefined;

interface Server {
  readonly host: string;
  readonly port: number;
}

let servers: Promise<readonly Server[]> | undefined;

/** The coordinator, then its workers, with their addresses for this machine. */
export function citusServers(): Promise<readonly Server[]> {
  servers ??= (async () => {
    const { hostname: host, port } = new URL(citusUrl()!);
    const { rows } = await at({ host, port: Number(port || 5432) }, undefined, (client) =>
      client.query(`SELECT nodename AS "host", nodeport AS "port" FROM pg_dist_node
        WHERE groupid <> 0 AND noderole = 'primary' AND isactive ORDER BY groupid`),
    );
    return [{ host, port: Number(port || 5432) }, ...rows];
  })();
  return servers;
}

export const citusAddress = (name: string, { host, port }: Server): string => {
  const url = new URL(citusUrl()!);
  url.hostname = host;
  url.port = String(port);
  url.pathname = `/${name}`;
  return url.href;
};

async function at<T>(server: Server, name: string | undefined, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const database = name ?? new URL(citusUrl()!).pathname.slice(1);
  const client = new pg.Client({ connectionString: citusAddress(database, server) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const EMPTY = 'test_model_empty';
/** Keeps the processes of a run from making the empty one twice. */
const EMPTY_LOCK = 7_316_203;

/** A copy of another database, which must not be open; otherwise an empty one with all workers. */
export async function makeCitusDatabase(
  name = `test_${randomBytes(8).toString('hex')}`,
  origin?: string,
): Promise<string> {
  const [coordinator] = await citusServers();
  if (origin === undefined) await makeEmpty(coordinator!);
  for (const server of await citusServers())
    await at(server, undefined, (client) => copy(client, name, origin ?? EMPTY));
  return citusAddress(name, coordinator!);
}

const makeEmpty = (coordinator: Server) =>
  at(coordinator, undefined, async (lock) => {
    await lock.query(`SELECT pg_advisory_lock(${EMPTY_LOCK})`);
    if ((await lock.query('SELECT 1 FROM pg_database WHERE datname = $1', [EMPTY])).rows.length > 0) return;
    const [, ...workers] = await citusServers();
    await dropCitusDatabase(`${EMPTY}_new`);
    for (const server of await citusServers()) {
      await at(server, undefined, (client) => client.query(`CREATE DATABASE ${EMPTY}_new`));
      await at(server, `${EMPTY}_new`, (client) => client.query('CREATE EXTENSION citus'));
    }
    await at(coordinator, `${EMPTY}_new`, async (client) => {
      await client.query('SELECT citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
      for (const { host, port } of workers) await client.query('SELECT citus_add_node($1, $2)', [host, port]);
    });
    await renameCitusDatabase(`${EMPTY}_new`, EMPTY);
  });

const ATTEMPTS = 50;
const IN_USE = '55006';

/** Citus has a process of its own in each database, which comes back: it is ended until the statement is quicker. */
async function withoutOthers(client: pg.Client, database: string, sql: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE datname = $1', [database]);
    try {
      await client.query(sql);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== IN_USE || attempt === ATTEMPTS) throw error;
    }
  }
}

const copy = (client: pg.Client, name: string, origin: string) =>
  withoutOthers(client, origin, `CREATE DATABASE ${name} TEMPLATE ${origin} STRATEGY FILE_COPY`);

/** At the coordinator last: if it exists there, it exists everywhere. */
export const renameCitusDatabase = async (name: string, to: string) => {
  for (const server of [...(await citusServers())].reverse())
    await at(server, undefined, (client) => withoutOthers(client, name, `ALTER DATABASE ${name} RENAME TO ${to}`));
};

export async function dropCitusDatabase(name: string): Promise<void> {
  for (const server of await citusServers())
    await at(server, undefined, (client) =>
      withoutOthers(client, name, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
    );
}

/** An ordinary database at the coordinator, without the extension; also removes what workers get of that name. */
export async function makePlainAtCoordinator(t: { after(end: () => Promise<void>): void }): Promise<string> {
  const [coordinator] = await citusServers();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await at(coordinator!, undefined, (client) => client.query(`CREATE DATABASE ${name}`));
  t.after(() => dropCitusDatabase(name));
  return citusAddress(name, coordinator!);
}
