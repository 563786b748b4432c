import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireTarget, wrongAddresses } from './targets.ts';

const own = { userId: 4, deviceId: 9 };
const check = (address: string) => (address.startsWith('https://') ? undefined : 'leads somewhere else');
const ARN = 'arn:aws:sqs:eu-west-1:123456789012:queue';

test('a forwarder needs a target that its kind can have', () => {
  assert.equal(requireTarget('sqs', ARN, own, check), ARN);
  assert.equal(requireTarget('http', 'https://example.com/hook', own, check), 'https://example.com/hook');
  assert.equal(requireTarget('mqtt', undefined, own, check), 'users/4/devices/9');
  assert.equal(requireTarget('mqtt', 'users/4/vans', own, check), 'users/4/vans');
  for (const [kind, target] of [
    ['sqs', undefined],
    ['http', null],
    ['sqs', 'https://sqs.eu-west-1.amazonaws.com/123456789012/queue'],
    ['http', 'http://127.0.0.1/'],
    ['mqtt', 'users/40/devices/9'],
    ['mqtt', 'users/5/devices/9'],
    ['mqtt', '$SYS/broker'],
    ['mqtt', 'users/4/#'],
    ['mqtt', 'users/4/+/x'],
    ['mqtt', 'users/4/a\u0000b'],
    ['mqtt', 'users/4/'],
    ['mqtt', `users/4/${'x'.repeat(300)}`],
  ] as const)
    assert.throws(() => requireTarget(kind, target, own, check), { statusCode: 422 }, `${kind} ${target}`);
});

test('addresses of a trigger are looked at where the channel is wanted', () => {
  const found = (delivery: object, parameters: object) =>
    wrongAddresses({ delivery, parameters } as never, check).map(({ field, message }) => `${field}: ${message}`);
  assert.deepEqual(found({ http: true }, { endpoint: 'https://example.com' }), []);
  assert.deepEqual(found({ http: true }, { endpoint: 'ftp://example.com' }), [
    'parameters: endpoint leads somewhere else',
  ]);
  assert.deepEqual(found({ http: false }, { endpoint: 'ftp://example.com' }), []);
  assert.deepEqual(found({ email: true }, { email: 'a@example.com' }), []);
  for (const email of ['nobody', 'a@b\r\nBcc: c@d', 'a@b,c@d', 'a b@c', '<a@b>'])
    assert.deepEqual(found({ email: true }, { email }), ['parameters: email is not an e-mail address'], email);
  for (const telegramChat of ['@fleet', '-1001234567890', 4711])
    assert.deepEqual(found({ telegram: true }, { telegramChat }), [], String(telegramChat));
  for (const telegramChat of ['fleet', '@a/b', '0', '1/../2'])
    assert.match(found({ telegram: true }, { telegramChat })[0]!, /^parameters: telegramChat is not a Telegram chat/);
  for (const ntfyTopic of ['fleet_1-a', 'https://ntfy.example.com/fleet', 'https://ntfy.example.com:8443/fleet'])
    assert.deepEqual(found({ ntfy: true }, { ntfyTopic }), [], ntfyTopic);
  for (const ntfyTopic of ['a topic', 'https://ntfy.example.com', 'https://a@b/c', 'https://a/b/c', 'ftp://a/b', 'a/b'])
    assert.match(found({ ntfy: true }, { ntfyTopic })[0]!, /^parameters: ntfyTopic is not an ntfy topic/, ntfyTopic);
  assert.deepEqual(found({ ntfy: true }, { ntfyTopic: 'http://10.0.0.1/fleet' }), [
    'parameters: ntfyTopic leads somewhere else',
  ]);
  assert.equal(found({ sqsArn: 'queue' }, {})[0]?.startsWith('delivery: sqsArn is not the ARN'), true);
  assert.equal(found({ sqs: true }, { sqsArn: 'queue' })[0]?.startsWith('parameters: sqsArn'), true);
  assert.deepEqual(found({ sqs: false, sqsArn: 'queue' }, {}), []);
});
