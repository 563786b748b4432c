import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { serve, trackway } from './testing/trackway.ts';

test('the exit code says whether the server on the port of the settings is ready', async (t) => {
  const { address, child, ended } = await serve(t);
  const { port } = new URL(address);
  assert.deepEqual(await trackway(['health', '--port', port]), { code: 0, out: 'The server is ready.\n', err: '' });
  assert.equal((await trackway(['health'], { env: { TRACKWAY_PORT: port, TRACKWAY_HOST: '0.0.0.0' } })).code, 0);
  child.kill('SIGTERM');
  await ended;
  const after = await trackway(['health', '--port', port]);
  assert.deepEqual([after.code, after.out], [1, '']);
  assert.match(
    after.err,
    new RegExp(`^No Trackway server responds on port ${port} of 127.0.0.1: .+ECONNREFUSED.+\\n$`),
  );
});

test('a server that is not ready says why, and another program is none', async (t) => {
  let answer = '{"status":"unavailable","reasons":["The disk is full."]}';
  const other = createServer((_, response) =>
    response.writeHead(503, { 'content-type': answer.startsWith('{') ? 'application/json' : 'text/html' }).end(answer),
  ).listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const port = String((other.address() as AddressInfo).port);
  const unready = await trackway(['health', '--port', port]);
  assert.deepEqual([unready.code, unready.err], [1, 'The server is not ready.\nThe disk is full.\n']);
  answer = 'hello';
  const foreign = await trackway(['health', '--port', port]);
  assert.deepEqual([foreign.code, /another program responded/.test(foreign.err)], [1, true]);
  assert.equal((await trackway(['health', '--port', 'x'])).code, 1);
});
