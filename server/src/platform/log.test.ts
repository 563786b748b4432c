import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../testing/eventually.ts';
import { readable } from './log.ts';

const TALKATIVE = fileURLToPath(new URL('../testing/talkative.ts', import.meta.url));

const start = (lines: number) => spawn(process.execPath, [TALKATIVE, String(lines)]);

async function log(child: ChildProcessWithoutNullStreams): Promise<void> {
  const said = once(child.stderr, 'data');
  child.stdin.write('go\n');
  assert.equal(String(await said), 'logged\n');
}

async function exitCode(child: ChildProcessWithoutNullStreams): Promise<number> {
  child.stdin.end();
  const [code] = await once(child, 'exit');
  return code;
}

/** The messages that come from now on. */
function messagesOf(child: ChildProcessWithoutNullStreams): () => { msg: string; line?: number }[] {
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  return () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
}

test('a process whose log nobody reads any more goes on, and ends', async () => {
  const child = start(3);
  child.stdout.destroy();
  await log(child);
  await log(child);
  assert.equal(await exitCode(child), 7);
});

test('a process whose log is not read for a while goes on, and reports how much is missing', async () => {
  const child = start(10_000);
  await log(child);
  const messages = messagesOf(child);
  await eventually('what it kept comes', () => messages().length > 3000);
  await eventually('it reports the missing lines', async () => {
    await log(child);
    return messages().some(({ msg }) => /^\d+ lines of the log were dropped/.test(msg));
  });
  assert.equal(await exitCode(child), 7);
});

test('a process whose log is not read at all ends too', async () => {
  const child = start(10_000);
  await log(child);
  assert.equal(await exitCode(child), 7);
});

test('each line goes out once and in order, the last one too', async () => {
  const child = start(500);
  const messages = messagesOf(child);
  await log(child);
  await eventually('all came', () => messages().length >= 500);
  const closed = once(child, 'close');
  assert.equal(await exitCode(child), 7);
  await closed;
  const lines = messages();
  assert.deepEqual(
    lines.map(({ line }) => line),
    [...Array.from({ length: 500 }, (_, line) => line), undefined],
  );
  assert.equal(lines.at(-1)!.msg, 'The last line');
});

test('a terminal gets text for people', () => {
  const line = (more: object) => readable(JSON.stringify({ time: '2026-05-01T12:00:00Z', ...more }));
  assert.match(line({ level: 30, msg: 'Checked', seconds: 0.2 }), /^\d\d:\d\d:\d\d info {2}Checked seconds=0\.2\n$/);
  assert.match(line({ level: 50, msg: 'Failed', error: { stack: 'Error: x' } }), / ERROR Failed \nError: x\n$/);
});
