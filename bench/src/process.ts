import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

export const ROOT = resolve(import.meta.dirname, '../..');

const STOP_MS = 12_000;
const running = new Set<ChildProcessWithoutNullStreams>();
// Processes that the bench started never outlive it.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

export interface Run {
  readonly arguments: readonly string[];
  readonly environment?: Record<string, string>;
  /** Text for its standard input. */
  readonly input?: string;
}

/** Starts a Node process in the same runtime as the bench. */
function startNode(run: Run): ChildProcessWithoutNullStreams {
  const env = { ...process.env, NODE_ENV: 'production', ...run.environment };
  const child = spawn(process.execPath, run.arguments, { cwd: ROOT, env });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.stdin.end(run.input ?? '');
  return child;
}

export interface Server {
  readonly pid: number;
  /** The line that the server printed once it was ready. */
  readonly greeting: string;
  /** What it has said so far. */
  said(): string;
  stop(): Promise<void>;
}

/** Starts a server and waits until its output matches `greeting`. */
export async function startServer(run: Run, greeting: RegExp): Promise<Server> {
  const child = startNode(run);
  const ended = once(child, 'exit');
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  let text = '';
  const ready = new Promise<string>((done) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const match = greeting.exec(text);
      if (match) done(match[1] ?? match[0]);
    });
  });
  const failed = ended.then(() => {
    throw new Error(`${run.arguments.join(' ')} ended before it was ready.\n${complaint}`);
  });
  return {
    pid: child.pid!,
    greeting: await Promise.race([ready, failed]),
    said: () => text,
    async stop() {
      // From here on the exit is expected and not a failure.
      failed.catch(() => {});
      const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      child.kill('SIGTERM');
      await ended;
      clearTimeout(overdue);
    },
  };
}

/** Starts a process that speaks in lines. */
export function startLines(run: Run): { next(): Promise<string>; stop(): Promise<void> } {
  const child = startNode(run);
  const ended = once(child, 'close');
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await lines.next();
      if (done) throw new Error(`${run.arguments[0]} ended too early.\n${complaint}`);
      return value;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Runs a process to its end and returns its output. */
export async function outputOf(run: Run): Promise<string> {
  const child = startNode(run);
  let text = '';
  let complaint = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${run.arguments[0]} failed.\n${complaint}`);
  return text;
}
