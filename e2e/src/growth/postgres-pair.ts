import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface PostgresPair {
  readonly primary: string;
  readonly standby: string;
  readonly primaryPid: number;
}

/** A primary and its synchronous standby on this machine, ended with the test. */
export async function startPair(t: { after(stop: () => Promise<void>): void }): Promise<PostgresPair> {
  const file = fileURLToPath(new URL('./postgres-pair-keeper.ts', import.meta.url));
  // Detached: a Ctrl-C reaches the whole group, and the keeper must outlive it to clean up.
  const keeper = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  keeper.stdin.on('error', () => {});
  const ended = once(keeper, 'exit');
  t.after(async () => {
    keeper.stdin.end();
    await ended;
  });
  const said = await Promise.race([once(createInterface(keeper.stdout), 'line'), ended]);
  if (typeof said[0] !== 'string') throw new Error('PostgreSQL did not start.');
  return JSON.parse(said[0]) as PostgresPair;
}
