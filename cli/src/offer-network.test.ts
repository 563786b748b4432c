import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { eventually } from '@trackway/server/testing/eventually.ts';
import { offerNetwork } from './offer-network.ts';
import { MAIN, tempFolder } from './testing/trackway.ts';

/** Answers the question of a first start. */
async function answer(
  text: string | undefined,
  more: { isTTY?: boolean; adminMade?: boolean; decided?: boolean } = {},
) {
  const { isTTY = true, adminMade = true, decided = false } = more;
  const [input, output] = [new PassThrough(), new PassThrough()].map((stream) => Object.assign(stream, { isTTY }));
  const set: boolean[] = [];
  const reach = {
    isUndecided: async () => !decided,
    async setAccess(isOpen: boolean) {
      set.push(isOpen);
      return {
        addresses: [{ url: 'http://192.168.1.20:8080', kind: 'network' as const }],
        localNetwork: 'on' as const,
      };
    },
  };
  const stopping = new AbortController();
  const asked = offerNetwork(
    { address: 'http://127.0.0.1:8080', reach: reach as never, setupToken: undefined, adminMade },
    { input: input!, output: output! },
    stopping.signal,
  );
  if (text === undefined) stopping.abort();
  else input!.write(`${text}\n`);
  await asked;
  return { set, said: String(output!.read() ?? '') };
}

test('only a clear yes opens the local network', async () => {
  const yes = await answer('y');
  assert.deepEqual(yes.set, [true]);
  assert.match(yes.said, /connect at http:\/\/192\.168\.1\.20:8080\..*allow TCP port 8080 in the firewall/);
  assert.deepEqual((await answer(' YES ')).set, [true]);
  for (const text of ['', 'n', 'no', 'maybe', 'yeah y']) assert.deepEqual((await answer(text)).set, [false], text);
});

test('nothing is asked without a terminal, after the first start, or after an answer; a stop ends the question', async () => {
  for (const more of [{ isTTY: false }, { adminMade: false }, { decided: true }])
    assert.deepEqual(await answer('y', more), { set: [], said: '' });
  assert.deepEqual((await answer(undefined)).set, []);
});

async function inTerminal(t: TestContext, data: string) {
  const words = [process.execPath, MAIN, 'serve', '--port', '0', '--trackers-port', '0', '--data', data];
  // `exec`, because a shell that stays in between would end by the Ctrl+C itself, with its own exit code.
  const child = spawn('script', ['-qefc', `exec ${words.join(' ')}`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  t.after(() => child.kill());
  const said = (text: RegExp) =>
    eventually(
      `it says ${text}`,
      () => out,
      () => text.test(out),
    );
  return { child, ended, said, out: () => out };
}

test('a first start in a terminal asks, stores the answer, and still stops by Ctrl+C', async (t) => {
  const data = join(await tempFolder(), 'data');
  const first = await inTerminal(t, data);
  await first.said(/\[y\/N\]/);
  first.child.stdin.write('\x03');
  assert.deepEqual(await first.ended, [0, null], `it stops while it asks: ${first.out()}`);
  const second = await inTerminal(t, data);
  await second.said(/\[y\/N\]/);
  second.child.stdin.write('\n');
  await second.said(/Only this machine can connect/);
  second.child.stdin.write('\x03');
  assert.deepEqual(await second.ended, [0, null]);
  const third = await inTerminal(t, data);
  await third.said(/Ctrl\+C/);
  third.child.stdin.write('\x03');
  assert.deepEqual(await third.ended, [0, null]);
  assert.doesNotMatch(third.out(), /\[y\/N\]/);
});
