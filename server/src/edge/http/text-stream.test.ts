import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { readableOf } from './text-stream.ts';

/** Endless chunks, and what became of them. */
function source() {
  const seen = { made: 0, ended: 0 };
  const chunks: AsyncIterableIterator<string> = {
    async next() {
      seen.made++;
      return { done: false, value: 'x'.repeat(100_000) };
    },
    async return() {
      seen.ended++;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return { seen, chunks };
}

test('a reader that does not read is disconnected, and no more is made for it than fits its connection', async (t) => {
  const { seen, chunks } = source();
  const server = createServer((_request, response) => {
    const stream = readableOf(chunks, 300);
    stream.on('error', () => response.destroy());
    stream.pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  t.after(() => client.destroy());
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await eventually('the chunks are ended', () => seen.ended === 1);
  // Some megabytes at most: what the operating system takes off our hands.
  assert.ok(seen.made < 200, `${seen.made} chunks`);
});

test('chunks that nobody ever began to read are ended too', async () => {
  const { seen, chunks } = source();
  readableOf(chunks).destroy();
  await eventually('the chunks are ended', () => seen.ended === 1);
  assert.equal(seen.made, 0);
});

test('a failure of the source ends the stream with it', async () => {
  async function* failing() {
    yield 'a';
    throw new Error('no more');
  }
  let text = '';
  await assert.rejects(async () => {
    for await (const chunk of readableOf(failing())) text += chunk;
  }, /no more/);
  assert.equal(text, 'a');
});
