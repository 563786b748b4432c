import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { account, freePort, makeCluster, reachableBinaries } from './postgres-binaries.ts';

/**
 * The process that owns a test's PostgreSQL server; see postgres-server.ts. It prints the server's address, waits for
 * its standard input to end, and removes everything it created. PostgreSQL refuses to run as root: then it runs as the
 * user postgres, or `nobody` if there is none.
 */

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
  const binaries = reachableBinaries(home);
  const { data, password } = makeCluster(binaries, home);
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
