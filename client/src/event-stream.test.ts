import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStreamReader, type StreamEvent } from './event-stream.ts';

const STREAM =
  'retry: 2000\n\n: still here\n\nid: 7\nevent: position\ndata: {"a":1}\n\nid: 8\r\ndata: one\r\ndata: two\r\n\r\n';
const EVENTS: StreamEvent[] = [
  { name: 'position', data: '{"a":1}', id: '7' },
  { name: 'message', data: 'one\ntwo', id: '8' },
];

test('events come out whole, wherever the network cut them', () => {
  for (let cut = 0; cut <= STREAM.length; cut++) {
    const reader = new EventStreamReader();
    assert.deepEqual(
      [...reader.read(STREAM.slice(0, cut)), ...reader.read(STREAM.slice(cut))],
      EVENTS,
      `cut at ${cut}`,
    );
  }
});

test('an incomplete event is not returned', () => {
  const reader = new EventStreamReader();
  assert.deepEqual(reader.read('event: position\ndata: {}\n'), []);
  assert.deepEqual(reader.read('\n'), [{ name: 'position', data: '{}', id: undefined }]);
});
