import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { mock, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { ROOT } from '../step.ts';

/**
 * A process that runs one test file after the other, so that all of them share what they load. It is started with itself
 * as the test reporter; see ./workers.ts for the other end of the channel.
 */

export type ToWorker = { readonly file: string } | 'end';

export type FromWorker =
  | {
      readonly is: 'test';
      readonly name: string;
      readonly nesting: number;
      readonly ms: number;
      /** Why it failed; undefined if it passed, or if only tests within it failed. */
      readonly failure?: string;
      readonly skipped?: string;
      /** A block of tests is not counted as a test. */
      readonly isBlock: boolean;
    }
  /** Something failed outside of any test. */
  | { readonly is: 'trouble'; readonly message: string }
  | { readonly is: 'done'; readonly cpuSeconds: number };

/** Later than this, what keeps the process from ending is printed. */
const LOOK_MS = 20_000;
const { env } = process;
const environment = { ...env };
const folder = process.cwd();
/** The block of the file that runs. */
let current = '';
let cpuAtStart = 0;

/** Undoes what a file changed for the whole process. */
function restoreState(): void {
  mock.reset();
  mock.timers.reset();
  // A file may have put another object in its place.
  process.env = env;
  for (const name of Object.keys(env)) if (!(name in environment)) delete env[name];
  Object.assign(env, environment);
  process.chdir(folder);
}

const send = (message: FromWorker) => process.send!(message);

process.setMaxListeners(0);
process.on('message', (order: ToWorker) => {
  if (order === 'end') {
    process.disconnect();
    setTimeout(() => console.error('Still open:', process.getActiveResourcesInfo().join()), LOOK_MS).unref();
    return;
  }
  cpuAtStart = cpuSeconds();
  current = relative(ROOT, order.file);
  suite(current, async () => {
    await import(pathToFileURL(order.file).href);
  });
});

/** The kernel counts in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Of this process, its threads, and all processes it started, such as browsers. */
function cpuSeconds(): number {
  try {
    const processes = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processAt(name) ?? []) : []));
    const byParent = Map.groupBy(processes, ({ parent }) => parent);
    const ticksFrom = (pid: number): number =>
      (byParent.get(pid) ?? []).reduce((sum, child) => sum + child.ticks + ticksFrom(child.pid), 0);
    return (processAt('self')!.ticks + ticksFrom(process.pid)) / TICKS_PER_SECOND;
  } catch {
    // Only Linux has /proc.
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

/** A process, with the time of the processes it has already awaited; undefined if it has ended. */
function processAt(name: string): { pid: number; parent: number; ticks: number } | undefined {
  try {
    // The name of the program, in brackets, may contain any character.
    const text = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /s, '');
    const fields = text.split(' ').map(Number);
    return { pid: Number(name), parent: fields[1]!, ticks: fields.slice(11, 15).reduce((sum, one) => sum + one, 0) };
  } catch {
    return undefined;
  }
}

interface ReportedEvent {
  readonly type: string;
  readonly data: {
    readonly name: string;
    readonly nesting: number;
    readonly skip?: string | boolean;
    readonly message?: string;
    readonly level?: string;
    readonly details?: {
      readonly duration_ms: number;
      readonly type?: string;
      readonly error?: Error & { readonly failureType?: string; readonly cause?: unknown };
    };
  };
}

/** The test reporter of this process. */
export default async function* report(events: AsyncIterable<ReportedEvent>): AsyncGenerator<string> {
  yield '';
  for await (const { type, data } of events) {
    if (type === 'test:diagnostic' && /^(Error|Warning): /.test(data.message!))
      send({ is: 'trouble', message: data.message! });
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, nesting, skip, details } = data;
    const error = details?.error;
    send({
      is: 'test',
      name,
      nesting,
      ms: details?.duration_ms ?? 0,
      isBlock: details?.type === 'suite',
      ...(skip !== undefined && { skipped: skip === true ? '' : String(skip) }),
      ...(error && error.failureType !== 'subtestsFailed' && { failure: inspect(error.cause ?? error) }),
    });
    if (nesting > 0 || name !== current) continue;
    restoreState();
    send({ is: 'done', cpuSeconds: cpuSeconds() - cpuAtStart });
  }
}
