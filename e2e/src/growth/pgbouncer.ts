import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { account, changeOwner, freePort } from '../../../server/src/testing/postgres-binaries.ts';

const PLACES = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];

/** The pooler of this machine; undefined where there is none. */
export const pgbouncerPlace = () =>
  PLACES.map((folder) => join(folder, 'pgbouncer')).find((place) => existsSync(place));

/** Why tests with PgBouncer are skipped; false where it is there. */
export const withoutPgbouncer: string | false =
  pgbouncerPlace() === undefined
    ? 'SKIPPED: NOTHING WAS TESTED WITH PGBOUNCER, which is not here: apt-get install pgbouncer'
    : false;

/**
 * PgBouncer in transaction mode before a database, ended with the test. It has fewer connections to the server than two
 * nodes have to it, and gives each transaction whichever is free.
 */
export async function startPgbouncer(t: { after(stop: () => Promise<void>): void }, behind: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(behind);
  const folder = await mkdtemp(join(tmpdir(), 'test-pgbouncer-'));
  const own = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const server = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`;
  await writeFile(
    file,
    [
      '[databases]',
      `${pathname.slice(1)} = ${server} dbname=${pathname.slice(1)}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${own}`,
      'unix_socket_dir =',
      // The connections to the server are made with the user above.
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 14',
      // The one that was used longest ago comes next, so that none stays with a node.
      'server_round_robin = 1',
      'max_client_conn = 200',
    ].join('\n'),
  );
  await chmod(folder, 0o700);
  changeOwner(folder);
  // As Debian ships it, it refuses to run as root.
  const child = spawn(pgbouncerPlace()!, [file], { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  await new Promise<void>((resolve, reject) => {
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-10_000);
      if (log.includes('process up')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(log)));
  });
  const url = new URL(behind);
  url.hostname = '127.0.0.1';
  url.port = String(own);
  return url.href;
}
