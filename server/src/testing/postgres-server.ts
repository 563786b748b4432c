import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface PostgresServer {
  readonly url: string;
  /** Ends it as a crash does, and waits until it is there again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A PostgreSQL server for tests, on loopback, with its own data folder. A keeper process starts it, and removes it
 * together with its folder as soon as the keeper's standard input ends: when `stop()` is called, and also when the
 * process that requested the server is killed.
 *
 * @param durable whether a commit is written durably; tests do without, since that is faster
 */
export async function startPostgres({ durable = false } = {}): Promise<PostgresServer> {
  const keeperFile = fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url));
  // Detached: a Ctrl-C reaches the whole group, and the keeper must outlive it to clean up.
  const keeper = spawn(process.execPath, [keeperFile, ...(durable ? ['--durable'] : [])], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  keeper.stdin.on('error', () => {});
  const ended = once(keeper, 'exit');
  const url = await firstLine(keeper);
  for (const handle of [keeper, keeper.stdin, keeper.stdout, keeper.stderr] as { unref?(): void }[]) handle.unref?.();
  return {
    url,
    async crash() {
      keeper.kill('SIGUSR2');
      await lineOf(keeper);
    },
    async stop() {
      keeper.ref();
      keeper.stdin.end();
      await ended;
    },
  };
}

/** The keeper prints a line each time the server is there. */
const lineOf = (keeper: ChildProcess) => once(keeper.stdout!, 'data');

/** The keeper prints the server's address once it answers, or the reason why there is none. */
function firstLine(keeper: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    let complained = '';
    keeper.stderr!.on('data', (chunk) => {
      complained += chunk;
    });
    keeper.stdout!.on('data', (chunk) => {
      output += chunk;
      if (output.includes('\n')) resolve(output.trim());
    });
    keeper.once('error', reject);
    keeper.once('exit', () => reject(new Error(`PostgreSQL did not start.\n${complained}`)));
  });
}
