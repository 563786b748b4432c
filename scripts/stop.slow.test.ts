import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { chromiumPlace } from '../e2e/src/console/chromium.ts';
import { eventually } from '../server/src/testing/eventually.ts';
import { ROOT } from './step.ts';

/** A test run that is stopped or killed leaves no process behind. */

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Distinguishes it from a later process with the same id. */
  readonly startedAt: string;
  readonly command: string;
}

function processes(): Process[] {
  const found: Process[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      // The name of the program, in brackets, may contain any character.
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (fields[0] === 'Z') continue;
      found.push({ pid: Number(name), parent: Number(fields[1]), startedAt: fields[19]!, command });
    } catch {
      // It ended in the meantime.
    }
  }
  return found;
}

function familyOf(pid: number, all = processes()): Process[] {
  const children = all.filter(({ parent }) => parent === pid);
  return [...all.filter((one) => one.pid === pid), ...children.flatMap((child) => familyOf(child.pid, all))];
}

const stillThere = (family: readonly Process[]) => {
  const now = processes();
  return family.filter(({ pid, startedAt }) => now.some((one) => one.pid === pid && one.startedAt === startedAt));
};

interface Run {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly family: readonly Process[];
  one(pattern: RegExp): Process;
}

/** Starts a run with a PostgreSQL server, a Trackway server and a browser. */
async function startRun(t: TestContext, command: string, words: readonly string[]): Promise<Run> {
  const env = { ...process.env };
  delete env.TRACKWAY_TEST_DATABASE_URL;
  // This file runs under a test runner; the nested runner must not report to it.
  delete env.NODE_TEST_CONTEXT;
  const child = spawn(command, [...words, 'scripts/testing/endless.ts'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let family: Process[] = [];
  t.after(() => {
    for (const { pid } of stillThere(family)) process.kill(pid, 'SIGKILL');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await eventually(
    'everything is under way',
    () => output,
    (text) => text.includes('Everything is under way.') || child.exitCode !== null,
  );
  family = familyOf(child.pid!);
  const one = (pattern: RegExp) => {
    const found = family.find((each) => pattern.test(each.command));
    assert.ok(
      found,
      `${pattern} is not among\n${family.map((each) => each.command.slice(0, 150)).join('\n')}\n${output}`,
    );
    return found;
  };
  for (const pattern of [/run-tests\.ts/, /main\.[jt]s serve/, /postgres-keeper/, /bin\/postgres /]) one(pattern);
  if (chromiumPlace() !== undefined) one(/--remote-debugging-pipe/);
  return { child, family, one };
}

async function assertAllEnd({ child, family }: Run): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  await eventually(
    'every process ends',
    () => stillThere(family),
    ({ length }) => length === 0,
  );
}

const skip =
  (process.platform !== 'linux' && 'it looks into /proc') ||
  (process.env.TRACKWAY_SKIP_POSTGRES === '1' && 'TRACKWAY_SKIP_POSTGRES=1');

describe('a run of tests', { skip, concurrency: true }, () => {
  const node = [process.execPath, ['scripts/test.ts']] as const;

  test('that gets a SIGINT leaves nothing behind, and says so by its exit code', async (t) => {
    const run = await startRun(t, ...node);
    run.child.kill('SIGINT');
    await assertAllEnd(run);
    assert.equal(run.child.exitCode, 130);
  });

  test('whose npm gets a SIGTERM leaves nothing behind', async (t) => {
    const run = await startRun(t, 'npm', ['test', '--']);
    run.child.kill('SIGTERM');
    await assertAllEnd(run);
  });

  test('that is killed leaves nothing behind', async (t) => {
    const run = await startRun(t, ...node);
    run.child.kill('SIGKILL');
    await assertAllEnd(run);
  });

  test('whose runner is killed fails and leaves nothing behind', async (t) => {
    const run = await startRun(t, ...node);
    process.kill(run.one(/run-tests\.ts/).pid, 'SIGKILL');
    await assertAllEnd(run);
    assert.equal(run.child.exitCode, 1);
  });
});
