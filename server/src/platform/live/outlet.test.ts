import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outlet, streamEvent } from './outlet.ts';

/** A reader that accepts bytes until it is blocked. */
function slowSink() {
  const taken: string[] = [];
  const sink = {
    taken,
    isBlocked: false,
    isEnded: false,
    write(bytes: Uint8Array) {
      taken.push(Buffer.from(bytes).toString());
      return !sink.isBlocked;
    },
    end() {
      sink.isEnded = true;
    },
  };
  return sink;
}

const position = (entry: number, device: number, size = 300) =>
  streamEvent(`${entry}.0`, {
    name: 'position',
    data: `${device} ${'x'.repeat(size)}`,
    newestOf: `position ${device}`,
  });
const news = (entry: number, size = 300) => streamEvent(`${entry}.0`, { name: 'news', data: 'n'.repeat(size) });
const idsOf = (taken: readonly string[]) => taken.map((text) => Number(/^id: (\d+)/.exec(text)![1]));

test('a reader that keeps up gets everything', () => {
  const sink = slowSink();
  const outlet = new Outlet(sink, () => {});
  for (let id = 1; id <= 5000; id++) outlet.send(position(id, 1));
  assert.equal(sink.taken.length, 5000);
});

test('a reader that stops for a moment loses nothing', () => {
  const sink = slowSink();
  const outlet = new Outlet(sink, () => {});
  sink.isBlocked = true;
  for (let id = 1; id <= 100; id++) outlet.send(position(id, 1));
  sink.isBlocked = false;
  outlet.drained();
  assert.deepEqual(
    idsOf(sink.taken),
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
});

test('a slow reader gets the newest of each kind, all of the rest, in order, and bounded memory holds it', () => {
  const sink = slowSink();
  const outlet = new Outlet(sink, () => {});
  sink.isBlocked = true;
  for (let id = 1; id <= 50_000; id++) outlet.send(id % 1000 === 0 ? news(id) : position(id, id % 10));
  assert.equal(sink.isEnded, false);
  sink.isBlocked = false;
  outlet.drained();
  const ids = idsOf(sink.taken);
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  assert.equal(sink.taken.filter((text) => text.includes('event: news')).length, 50);
  // The newest event of every device is included, but most of the others are not.
  for (let id = 49_990; id <= 50_000; id++) assert.ok(ids.includes(id), `${id}`);
  assert.ok(ids.length < 1000, `${ids.length} were kept`);
});

test('a reader with more waiting than can be left out is given up, and harms nobody', () => {
  const sink = slowSink();
  let ended = 0;
  const outlet = new Outlet(sink, () => ended++);
  sink.isBlocked = true;
  for (let id = 1; id <= 5000; id++) outlet.send(news(id));
  assert.equal(sink.isEnded, true);
  assert.equal(ended, 1);
  const before = sink.taken.length;
  outlet.drained();
  outlet.send(news(5001));
  outlet.mention(Buffer.from(': \n\n'));
  assert.equal(sink.taken.length, before);
});

test('whoever waits for room is let go when the stream ends', async () => {
  const sink = slowSink();
  const outlet = new Outlet(sink, () => {});
  sink.isBlocked = true;
  outlet.send(news(1));
  const room = outlet.room();
  outlet.end();
  await room;
  assert.equal(outlet.isEnded, true);
});
