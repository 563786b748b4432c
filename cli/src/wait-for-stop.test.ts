import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const MODULE = new URL('./wait-for-stop.ts', import.meta.url).href;

test('what does not end in time is abandoned, and the exit code is 0 all the same', async (t) => {
  const script = `
    import { waitForStop } from '${MODULE}';
    const abandon = async () => console.log('The store is closed.');
    setInterval(() => {}, 1000);
    void waitForStop(() => new Promise(() => {}), { limitMs: 100, abandon });
    console.log('started');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const said = text(child.stdout);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  assert.match(await said, /was aborted[\s\S]*The store is closed/);
});
