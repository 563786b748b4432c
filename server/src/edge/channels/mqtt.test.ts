import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SendOutcome } from '../../platform/outbox/channel.ts';
import { mqttChannel } from './mqtt.ts';
import { channelSuite, DEADLINE_MS, parcelOf, plain, type Rig, sendTo } from './testing/channel-suite.ts';
import { mosquittoEnd, withoutMosquitto } from './testing/mosquitto-end.ts';
import { type MqttEnd, mqttEnd } from './testing/mqtt-end.ts';

const TOPIC = 'users/1/devices/2/notifications';

async function open(t: TestContext, deadlineMs = DEADLINE_MS): Promise<Rig & { readonly end: MqttEnd }> {
  const end = await mqttEnd(t);
  const channel = mqttChannel({ url: end.url, deadlineMs });
  t.after(() => channel.close());
  return {
    end,
    channel,
    destination: { id: 1, target: 'broker', secrets: [] },
    address: TOPIC,
    behave: end.behave,
    arrived: async () => end.published.map(({ text }) => text),
    secrets: [end.password, encodeURIComponent(end.password)],
  };
}

channelSuite('mqtt', open);

async function openMosquitto(t: TestContext, deadlineMs = DEADLINE_MS): Promise<Rig> {
  const end = await mosquittoEnd(t);
  const channel = mqttChannel({ url: end.url, deadlineMs });
  t.after(() => channel.close());
  return {
    channel,
    destination: { id: 1, target: 'broker', secrets: [] },
    address: TOPIC,
    behave: end.behave,
    arrived: async () => (await end.published()).map(({ text }) => text),
    secrets: [end.password, encodeURIComponent(end.password)],
  };
}

if (withoutMosquitto) test('mqtt, with Mosquitto', { skip: withoutMosquitto }, () => {});
else channelSuite('mqtt, with Mosquitto', openMosquitto);

const sendOne = async (rig: Rig, address: string | null = TOPIC): Promise<SendOutcome> =>
  (await sendTo(rig, [parcelOf(address)]))[0]!;

test('messages go to their topics, in their order, over one connection', async (t) => {
  const rig = await open(t);
  const parcels = Array.from({ length: 40 }, (_, i) => parcelOf(`users/1/devices/${i % 3}`));
  assert.ok((await sendTo(rig, parcels)).every(({ kind }) => kind === 'sent'));
  assert.deepEqual(
    rig.end.published,
    parcels.map(({ address, content }) => ({ topic: address, text: content.text })),
  );
  const made = rig.end.connections();
  await sendOne(rig);
  assert.equal(rig.end.connections(), made, 'the connection is kept');
  // One that was lost meanwhile says nothing of the broker: the outbox records it and sends again.
  rig.end.endConnections();
  const lost = await sendOne(rig);
  if (lost.kind !== 'sent') assert.equal(lost.kind, 'broken');
  assert.deepEqual(await sendOne(rig), { kind: 'sent' });
});

test('what is no topic to publish to is refused, and takes nobody along', async (t) => {
  const rig = await open(t);
  for (const address of [null, '', 'users/#', 'users/+/x', '$SYS/x', 'a\u0000b', 'a\nb', 'x'.repeat(70_000)]) {
    assert.equal((await sendOne(rig, address)).kind, 'refused', String(address).slice(0, 20));
  }
  const outcomes = await sendTo(rig, [parcelOf('a/b'), parcelOf('a/#'), parcelOf('a/c')]);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['sent', 'refused', 'sent'],
  );
});

test('a broker of MQTT 5 reports what became of a message', async (t) => {
  for (const [code, kind, words] of [
    [0, 'sent', /^$/],
    [16, 'sent', /^$/],
    [135, 'refused', /may not publish to this topic/],
    [144, 'refused', /topic is not valid/],
    [153, 'refused', /format of its content/],
    [151, 'down', /quota/],
    [128, 'down', /reason 128/],
  ] as const) {
    const rig = await open(t);
    rig.end.reasonCode = code;
    const outcome = await sendOne(rig);
    assert.equal(outcome.kind, kind, String(code));
    if (outcome.kind !== 'sent') assert.match(outcome.reason, words);
    assert.equal(rig.end.connections(), 1);
  }
});

test('a message over which the broker hangs up each time is given up, and not the broker', async (t) => {
  const rig = await open(t);
  rig.end.onPublish = (topic, done) => done(topic === 'poison' ? new Error('no') : null);
  const poison = parcelOf('poison');
  for (let i = 0; i < 3; i++) {
    const [outcome] = await sendTo(rig, [poison]);
    assert.equal(outcome!.kind, 'down');
  }
  const [outcome] = await sendTo(rig, [poison]);
  assert.deepEqual(outcome, {
    kind: 'refused',
    reason: 'The broker closes the connection when this message is sent.',
  });
  assert.deepEqual(await sendOne(rig), { kind: 'sent' });
});

test('a broker that is not there, or does not know us, is down, and clearly nothing arrived', async (t) => {
  const rig = await open(t);
  const reported = async (url: string) => {
    const channel = mqttChannel({ url, deadlineMs: DEADLINE_MS });
    t.after(() => channel.close());
    return sendOne({ ...rig, channel });
  };
  assert.deepEqual(await reported('mqtt://127.0.0.1:1'), {
    kind: 'down',
    reason: 'The broker cannot be reached (ECONNREFUSED).',
  });
  assert.deepEqual(await reported(rig.end.url.replace('robot', 'nobody')), {
    kind: 'down',
    reason: 'The broker rejects the account of TRACKWAY_MQTT_URL.',
  });
  assert.deepEqual(rig.end.published, []);
});

test('without a broker it says at once that it is not set up', async () => {
  const channel = mqttChannel({ url: '' });
  const [outcome] = await channel.send(
    { id: 1, target: 'broker', secrets: [] },
    [parcelOf(TOPIC)],
    AbortSignal.any([]),
  );
  assert.deepEqual(plain(outcome!), { kind: 'unconfigured', reason: 'MQTT is not set up on this server.' });
  await channel.close();
});
