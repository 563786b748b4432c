import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { isSea } from 'node:sea';
import type { Settings } from '@trackway/server/app/settings.ts';
import { waitForStop } from './wait-for-stop.ts';

/**
 * Several processes of one server on the same ports, each a node of its own on one PostgreSQL database. The process that
 * the operator started distributes connections, and does nothing else.
 */

const NUMBER = 'PROCESS_NUMBER';
const READY = 'ready';
/** How long a process that failed waits before it starts again: longer each time, until it has run for a while. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
const WELL_AFTER_MS = 60_000;
/** Each process has the time limit of the settings for its own stop. */
const STOP_MARGIN_MS = 2000;

export function processCount({ processes, databaseUrl }: Settings): number {
  if (processes !== 'auto') return Number(processes);
  return databaseUrl === '' ? 1 : availableParallelism();
}

/** Which of several processes this is; the first is the only one where there is one. */
export const processNumber = (): number => Number((cluster.isWorker && process.env[NUMBER]) || 1);

/** Tells the process that distributes connections that this one answers. */
export const reportReady = (): void => void process.send?.(READY);

/** Without this, the channel to the process that distributes connections keeps this one alive. */
export const leave = (): void => void cluster.worker?.disconnect();

/** Runs the processes until all of them have ended. Returns the exit code. */
export function runProcesses(count: number, { stopTimeout }: Settings): Promise<number> {
  // The single file of a release is started without the name of a script.
  const [exec, ...args] = process.argv.slice(isSea() ? 2 : 1);
  cluster.setupPrimary({ exec: exec!, args });
  const running = new Map<number, Worker>();
  const waiting = new Map<number, NodeJS.Timeout>();
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  let isStopping = false;
  let hasAnswered = false;
  let exitCode = 0;

  const start = (number: number, waitMs: number) => {
    waiting.delete(number);
    const worker = cluster.fork({ [NUMBER]: String(number) });
    const startedAt = performance.now();
    running.set(number, worker);
    worker.on('message', (message) => {
      if (message !== READY) return;
      console.log(`Process ${number} is ready (process id ${worker.process.pid}).`);
      if (hasAnswered) return;
      hasAnswered = true;
      // The first has prepared the database for the others.
      if (!isStopping) for (let other = 2; other <= count; other++) start(other, FIRST_WAIT_MS);
    });
    worker.on('exit', (code: number | null, signal: string | null) => {
      running.delete(number);
      // One that was stopped by itself, as by `trackway cluster drain`, stays stopped.
      const isDone = isStopping || code === 0 || !hasAnswered;
      if (isDone) exitCode ||= code ?? 1;
      else
        startAgain(
          number,
          signal ?? `exit code ${code}`,
          performance.now() - startedAt < WELL_AFTER_MS ? waitMs : FIRST_WAIT_MS,
        );
      if (running.size + waiting.size === 0) end(exitCode);
    });
  };

  const startAgain = (number: number, why: string, waitMs: number) => {
    console.error(`Process ${number} ended unexpectedly (${why}). It restarts in ${waitMs / 1000} s.`);
    const next = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    waiting.set(number, setTimeout(start, waitMs, number, next));
  };

  const stop = async () => {
    isStopping = true;
    for (const timer of waiting.values()) clearTimeout(timer);
    waiting.clear();
    for (const worker of running.values()) worker.process.kill('SIGTERM');
    if (running.size === 0) end(exitCode);
    await ended;
  };
  const abandon = async () => {
    for (const worker of running.values()) worker.process.kill('SIGKILL');
  };
  const stopped = waitForStop(stop, { limitMs: stopTimeout * 1000 + STOP_MARGIN_MS, abandon });
  start(1, FIRST_WAIT_MS);
  return Promise.race([stopped.then(() => exitCode), ended]);
}
