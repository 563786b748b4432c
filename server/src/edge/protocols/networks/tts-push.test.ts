import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pushOf } from './tts-push.ts';

const HEADERS = { 'x-downlink-push': 'https://eu1.example/down/push', 'x-downlink-apikey': 'NNSXS.key' };
const push = (...messages: (string | null)[]) =>
  pushOf(
    HEADERS,
    messages.map((message, index) => ({ id: index + 1, message })),
  );

test('the oldest message of hexadecimal digits goes down, to where the network says', () => {
  const found = push('hello', null, '15:0a0B', '00')!;
  assert.deepEqual(
    [found.messageId, found.url, found.headers.authorization],
    [3, HEADERS['x-downlink-push'], 'Bearer NNSXS.key'],
  );
  assert.deepEqual(JSON.parse(found.body), {
    downlinks: [{ f_port: 15, frm_payload: 'Cgs=', priority: 'NORMAL', correlation_ids: ['trackway:message:3'] }],
  });
  assert.equal(JSON.parse(push('FF')!.body).downlinks[0].f_port, 1);
});

test('nothing goes down without an address and a key, or that is no downlink', () => {
  const waiting = [{ id: 1, message: '00' }];
  assert.equal(pushOf({}, waiting), undefined);
  assert.equal(pushOf({ 'x-downlink-push': 'https://eu1.example' }, waiting), undefined);
  for (const message of ['', '0', '0:00', '224:00', '15:', 'x', '00'.repeat(243)])
    assert.equal(push(message), undefined, message);
});
