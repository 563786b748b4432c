import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * A PostgreSQL server for tests, on loopback, with a data folder of its own. A keeper process starts it and takes it
 * down, folder and all, as soon as its standard input ends: when `stop()` is called, and just as well when the process
 * that asked for the server is killed.
 */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const keeperFile = fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url));
  // Detached: a Ctrl-C goes to the whole group, and the keeper must outlive it to clean up.
  const keeper = spawn(process.execPath, [keeperFile], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  keeper.stdin.on('error', () => {});
  const ended = once(keeper, 'exit');
  const url = await firstLine(keeper);
  for (const handle of [keeper, keeper.stdin, keeper.stdout, keeper.stderr] as { unref?(): void }[]) handle.unref?.();
  return {
    url,
    async stop() {
      keeper.ref();
      keeper.stdin.end();
      await ended;
    },
  };
}

/** The keeper says the server's address once it answers, or why there is none. */
function firstLine(keeper: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    let complained = '';
    keeper.stderr!.on('data', (chunk) => {
      complained += chunk;
    });
    keeper.stdout!.on('data', (chunk) => {
      said += chunk;
      if (said.includes('\n')) resolve(said.trim());
    });
    keeper.once('error', reject);
    keeper.once('exit', () => reject(new Error(`PostgreSQL did not start.\n${complained}`)));
  });
}
