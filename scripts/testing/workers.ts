import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../step.ts';
import type { FromWorker, ToWorker } from './worker.ts';

const WORKER = join(import.meta.dirname, 'worker.ts');
const ENDS_WITH_PARENT = join(ROOT, 'server/src/testing/ends-with-parent.ts');
/** Only a file that hangs takes this long, even on a busy machine. */
const FILE_LIMIT_MS = 10 * 60_000;
/** How long a process may take to end by itself once it has run its last file. */
const END_LIMIT_MS = 60_000;
/** How long the parent reads what an ended process printed. */
const DRAIN_MS = 1000;

export interface Listener {
  started(file: string): void;
  received(file: string, message: FromWorker): void;
  /** What a file printed, or what Node printed about it. */
  printed(file: string, text: string): void;
  /** The process of a file failed. */
  failed(file: string, reason: string): void;
}

/**
 * Runs test files in as many processes as are given, and each process takes the next file when it has done one. A file that
 * ends its process or hangs fails; the others go on in a new process.
 */
export async function runFiles(files: readonly string[], processes: number, listener: Listener): Promise<void> {
  const left = [...files];
  await Promise.all(
    Array.from({ length: Math.min(processes, files.length) }, async () => {
      while (left.length > 0) await runUntilItEnds(left, listener);
    }),
  );
}

/** Runs files in one process until none is left or the process fails. */
async function runUntilItEnds(left: string[], listener: Listener): Promise<void> {
  const child = startWorker();
  let file = left.shift()!;
  let isDone = false;
  let reason: string | undefined;
  const send = (message: ToWorker) => child.send(message);
  const begin = () => {
    isDone = false;
    clock.refresh();
    listener.started(file);
    send({ file });
  };
  const clock = setTimeout(() => {
    reason = `It did not end within ${FILE_LIMIT_MS / 60_000} minutes.`;
    child.kill('SIGKILL');
  }, FILE_LIMIT_MS);
  for (const stream of [child.stdout!, child.stderr!])
    stream
      .setEncoding('utf8')
      .on('data', (text) => (isDone ? process.stdout.write(text) : listener.printed(file, text)));
  child.on('message', (message: FromWorker) => {
    listener.received(file, message);
    if (message.is !== 'done') return;
    const next = left.shift();
    if (next === undefined) {
      isDone = true;
      endSoon();
    } else {
      file = next;
      begin();
    }
  });
  const endSoon = () => {
    send('end');
    setTimeout(() => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      console.log(`\n*** A test left something open: the process that ran ${file} last did not end by itself. ***`);
      child.kill('SIGKILL');
    }, END_LIMIT_MS).unref();
  };
  begin();
  const closed = once(child, 'close');
  const [code, signal] = await once(child, 'exit');
  clearTimeout(clock);
  // A process that a test left behind may keep its output open.
  await Promise.race([closed, sleep(DRAIN_MS)]);
  child.stdout!.destroy();
  child.stderr!.destroy();
  if (!isDone) listener.failed(file, reason ?? `Its process ended with ${signal ?? code}.`);
}

function startWorker(): ChildProcess {
  return fork(WORKER, {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    execArgv: [
      '--import',
      ENDS_WITH_PARENT,
      `--test-reporter=${WORKER}`,
      '--test-reporter-destination=stdout',
      '--disable-warning=ExperimentalWarning',
    ],
  });
}
