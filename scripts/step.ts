import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';

export const ROOT = dirname(import.meta.dirname);

/** A step that was told to stop has this long to clean up. */
const GRACE_MS = 10_000;
const PARENT_LOOK_MS = 250;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type StopSignal = keyof typeof EXIT_CODES;

let stoppedBy: StopSignal | undefined;
const underWay = new Set<ChildProcess>();

/** Runs one step of a script with its output in ours, and fails the script if it fails. */
export function step(
  title: string,
  command: string,
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<void> {
  console.log(`\n── ${title}`);
  const started = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      cwd: ROOT,
      // Nothing is sent to it: its standard input ends when this process does, by whatever means.
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...process.env, ...environment },
      // A group of its own, so that all of it can be ended.
      detached: true,
    });
    underWay.add(child);
    child.stdin!.on('error', () => {});
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      underWay.delete(child);
      // Whatever the step has started and left behind ends with it.
      signalGroup(child, 'SIGKILL');
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      if (stoppedBy) reject(new Error(`stopped by ${stoppedBy}`));
      else if (code === 0) {
        console.log(`   done in ${seconds} s`);
        resolve();
      } else reject(new Error(`${title}: ${command} ended with ${signal ?? code} after ${seconds} s`));
    });
  });
}

export async function checkTypes(): Promise<void> {
  await step('Types', 'tsc', ['-p', '.', ...rememberedIn('types')]);
  await step('Types of the console', 'tsc', ['-p', 'console', ...rememberedIn('types-of-console')]);
}

/** What was found about files that did not change since is not found out again. */
const rememberedIn = (name: string) => [
  '--incremental',
  '--tsBuildInfoFile',
  `node_modules/.cache/${name}.tsbuildinfo`,
];

export const checkStyle = () => step('Lint and format', 'biome', ['check', '--error-on-warnings', '.']);

/** Ends a script with its reason in one line. A script that is told to stop ends the step that it is at, and cleans up. */
export async function main(script: () => Promise<void>): Promise<void> {
  for (const signal of Object.keys(EXIT_CODES) as StopSignal[]) process.on(signal, () => stop(signal));
  const watch = watchParent();
  try {
    await script();
  } catch (error) {
    console.error(`\nFAILED: ${error instanceof Error ? error.message : error}`);
    process.exitCode = stoppedBy ? EXIT_CODES[stoppedBy] : 1;
  } finally {
    clearInterval(watch);
  }
}

function stop(signal: StopSignal): void {
  if (stoppedBy) return;
  stoppedBy = signal;
  if (underWay.size === 0) process.exit(EXIT_CODES[signal]);
  for (const child of underWay) {
    signalGroup(child, 'SIGTERM');
    setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS).unref();
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal);
  } catch {
    // Nobody is left in it.
  }
}

/** The shell between npm and a script may die of the signal that npm sent it without passing it on. */
function watchParent(): NodeJS.Timeout {
  const parent = process.ppid;
  return setInterval(() => process.ppid !== parent && stop('SIGTERM'), PARENT_LOOK_MS).unref();
}
