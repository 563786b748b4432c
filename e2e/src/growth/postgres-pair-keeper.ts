import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  account,
  changeOwner,
  freePort,
  makeCluster,
  reachableBinaries,
} from '../../../server/src/testing/postgres-binaries.ts';

/**
 * The process that owns a primary and its synchronous standby; see postgres-pair.ts. It prints what they are, waits for
 * its standard input to end, and removes everything it created.
 */

const home = mkdtempSync(join(tmpdir(), 'test-postgres-pair-'));
const servers: ChildProcess[] = [];
let ending = false;

process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
process.stdin.on('end', () => end(0)).on('close', () => end(0));
process.stdin.resume();

try {
  process.stdout.write(`${JSON.stringify(await start())}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  await end(1);
}

async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  for (const server of servers) {
    if (server.exitCode !== null || server.signalCode !== null) continue;
    const gone = once(server, 'exit');
    server.kill('SIGQUIT');
    await gone;
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}

async function start() {
  const binaries = reachableBinaries(home);
  const { data, password } = makeCluster(binaries, home);
  // The same beginning: the standby gets all that comes after it from the primary.
  const copy = join(home, 'standby');
  cpSync(data, copy, { recursive: true });
  writeFileSync(join(copy, 'standby.signal'), '');
  chmodSync(copy, 0o700);
  changeOwner(copy);
  const [port, standbyPort] = [await freePort(), await freePort()];
  const from = `host=127.0.0.1 port=${port} user=postgres password=${password}`;
  const primary = await listen(binaries, data, port, { synchronous_standby_names: '*' }, 'accept connections');
  await listen(binaries, copy, standbyPort, { primary_conninfo: from }, 'accept read-only connections');
  const urlOf = (at: number) => `postgres://postgres:${password}@127.0.0.1:${at}/postgres`;
  return { primary: urlOf(port), standby: urlOf(standbyPort), primaryPid: primary.pid };
}

async function listen(
  binaries: string,
  data: string,
  port: number,
  more: Readonly<Record<string, string>>,
  ready: string,
): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    dynamic_shared_memory_type: 'mmap',
    max_connections: '100',
    fsync: 'off',
    wal_level: 'replica',
    wal_keep_size: '1GB',
    // A commit is answered once the standby has it.
    synchronous_commit: 'on',
    ...more,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(binaries, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
    ...account,
    cwd: home,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  servers.push(child);
  await new Promise<void>((resolve, reject) => {
    let log = '';
    child.stderr.on('data', (chunk) => {
      log = (log + chunk).slice(-10_000);
      if (log.includes(ready)) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(log)));
  });
  return child;
}
