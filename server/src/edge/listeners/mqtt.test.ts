import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import mqtt from 'mqtt';
import type { ReportingIdentity } from '../../calls.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import type { Friend } from '../../reports.ts';
import { eventually } from '../../testing/eventually.ts';
import { watchfulLog } from '../../testing/watchful-log.ts';
import { mosquittoEnd, withoutMosquitto } from '../channels/testing/mosquitto-end.ts';
import { type MqttEnd, mqttEnd } from '../channels/testing/mqtt-end.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { topicSources } from '../protocols/mqtt/sources.ts';
import { decrypted, encrypted } from '../protocols/owntracks-secret.ts';
import { DiscoveredTopics } from './discovered-topics.ts';
import { listenedTopicsOf } from './listen-setting.ts';
import { type MqttListenerOptions, startMqttListener } from './mqtt.ts';
import type { MqttGateway } from './mqtt-reader.ts';
import { FakeGateway } from './testing/fake-gateway.ts';

class FakeMqttGateway extends FakeGateway implements MqttGateway {
  /** Reports that were asked to be stored, whatever became of them. */
  asked = 0;
  secret: string | undefined;

  /** Found for any name until it is checked, but its device no longer has the name. */
  outdated: ReportingIdentity | undefined;
  deviceOfIdentifier = async (name: string) => this.outdated ?? this.known.get(name);
  isCurrent = async (identity: ReportingIdentity) => {
    if (identity !== this.outdated) return true;
    this.outdated = undefined;
    return false;
  };
  secretOf = async () => this.secret;
  friends: readonly Friend[] = [];
  friendsOf = async (_deviceId: number, _app: string, isProven: boolean) => (isProven ? this.friends : []);

  override async receive(...[identity, report]: Parameters<FakeGateway['receive']>) {
    this.asked++;
    if (identity === this.outdated) return { outcome: 'gone' as const, hasPending: false };
    return super.receive(identity, report);
  }
}

/** The suite runs with Aedes, which speaks MQTT 3.1.1, and with Mosquitto, to which MQTT 5 is spoken. */
type BrokerEnd = Pick<MqttEnd, 'url' | 'behave' | 'endConnections'>;
const BROKERS: readonly { readonly name: string; readonly open: (t: TestContext) => Promise<BrokerEnd> }[] = [
  { name: 'Aedes', open: mqttEnd },
  ...(withoutMosquitto ? [] : [{ name: 'Mosquitto', open: mosquittoEnd }]),
];
if (withoutMosquitto) test('with Mosquitto', { skip: withoutMosquitto }, () => {});

function withEach(what: string, run: (t: TestContext, open: (t: TestContext) => Promise<BrokerEnd>) => Promise<void>) {
  for (const { name, open } of BROKERS) test(`${name}: ${what}`, (t) => run(t, open));
}

const ALWAYS = { hold: async () => true, release: async () => {} };

function knowing(...names: string[]): FakeMqttGateway {
  const gateway = new FakeMqttGateway();
  for (const [index, name] of names.entries()) gateway.known.set(name, { deviceId: index + 1 });
  return gateway;
}

async function listen(t: TestContext, end: BrokerEnd, gateway: MqttGateway, more: Partial<MqttListenerOptions> = {}) {
  const listener = startMqttListener({
    url: end.url,
    clientId: 'trackway-test',
    topics: listenedTopicsOf('owntracks', topicSources),
    formerFilters: [],
    lease: ALWAYS,
    maxBytes: 10_000,
    limit: new RateLimit(0),
    gateway,
    log: watchfulLog,
    renewMs: 20,
    pauseMs: 20,
    // However long it takes, what is durable is acknowledged before it ends.
    stopMs: 600_000,
    ...more,
  });
  t.after(() => listener.stop());
  return listener;
}

async function publisher(t: TestContext, end: BrokerEnd) {
  const client = await mqtt.connectAsync(end.url, { protocolVersion: 4, reconnectPeriod: 0 });
  t.after(() => client.end(true));
  return (topic: string, body: unknown, retain = false) =>
    client.publishAsync(topic, typeof body === 'string' ? body : JSON.stringify(body), { qos: 1, retain });
}

const location = (tst: number) => ({ _type: 'location', lat: 50, lon: 8, tst });

withEach('what was not durable when the server ended comes again, and what was does not', async (t, open) => {
  const end = await open(t);
  const publish = await publisher(t, end);
  const gateway = knowing('jane/pixel');
  const first = await listen(t, end, gateway);
  await eventually('it listens', first.isSubscribed);
  await publish('owntracks/jane/pixel', location(1));
  await eventually('it is stored', () => gateway.times.length === 1);

  const dying = knowing('jane/pixel');
  await first.stop();
  // What it holds never becomes durable.
  const second = await listen(t, end, dying, { stopMs: 1 });
  await eventually('it listens', second.isSubscribed);
  dying.hold();
  await publish('owntracks/jane/pixel', location(2));
  await publish('owntracks/jane/pixel', location(3));
  await eventually('both are being stored', () => dying.asked === 2);
  end.endConnections();
  await second.stop();
  assert.deepEqual(dying.times, []);

  const next = knowing('jane/pixel');
  const third = await listen(t, end, next);
  await eventually('both came again', () => next.times.length >= 2);
  await third.stop();
  assert.deepEqual(next.times, [2000, 3000], 'the first, which was durable, does not come again');

  const last = knowing('jane/pixel');
  const fourth = await listen(t, end, last);
  await eventually('it listens', fourth.isSubscribed);
  await (await publisher(t, end))('owntracks/jane/pixel', location(4));
  await eventually('the next comes', () => last.times.length > 0);
  assert.deepEqual(last.times, [4000], 'what was acknowledged is forgotten');
});

withEach('a report by a name that another device has now is stored for that device', async (t, open) => {
  const end = await open(t);
  const gateway = knowing('jane/pixel');
  gateway.outdated = { deviceId: 99, identifier: 'jane/pixel' };
  const listener = await listen(t, end, gateway);
  await eventually('it listens', listener.isSubscribed);
  await (await publisher(t, end))('owntracks/jane/pixel', location(1));
  await eventually('it is stored', () => gateway.times.length === 1);
  assert.deepEqual([gateway.received[0]?.deviceId, gateway.asked, gateway.unknownTrackers], [1, 2, []]);
});

withEach('what becomes durable after the connection is gone does no harm', async (t, open) => {
  const end = await open(t);
  const publish = await publisher(t, end);
  const gateway = knowing('jane/pixel');
  const listener = await listen(t, end, gateway);
  await eventually('it listens', listener.isSubscribed);
  gateway.hold();
  await publish('owntracks/jane/pixel', location(1));
  await eventually('it is being stored', () => gateway.asked === 1);
  end.endConnections();
  await eventually('it came again', () => gateway.asked === 2);
  gateway.release();
  await eventually('both are stored', () => gateway.times.length === 2);
  await (await publisher(t, end))('owntracks/jane/pixel', location(2));
  await eventually('the next is received', () => gateway.times.includes(2000));
});

withEach('what comes while nobody listens is kept by the broker', async (t, open) => {
  const end = await open(t);
  const publish = await publisher(t, end);
  const first = await listen(t, end, knowing('jane/pixel'));
  await eventually('it listens', first.isSubscribed);
  await first.stop();
  await publish('owntracks/jane/pixel', location(1));
  const gateway = knowing('jane/pixel');
  await listen(t, end, gateway);
  await eventually('it comes', () => gateway.times.length > 0);
  assert.deepEqual(gateway.times, [1000]);
});

withEach('while the store is in trouble nothing is acknowledged, and nothing is lost', async (t, open) => {
  const end = await open(t);
  const publish = await publisher(t, end);
  const gateway = knowing('jane/pixel');
  const listener = await listen(t, end, gateway);
  await eventually('it listens', listener.isSubscribed);
  gateway.outcome = new StoreTrouble('unavailable', new Error('It is down.'));
  await publish('owntracks/jane/pixel', location(1));
  await publish('owntracks/jane/pixel', location(2));
  await eventually('it is tried again', () => gateway.asked > 1);
  gateway.outcome = 'stored';
  await eventually('both are stored', () => gateway.times.length >= 2);
  assert.deepEqual(gateway.times, [1000, 2000]);
});

withEach(
  'who is not known unknownTrackers, what can’t be read is noted, and neither stops the next',
  async (t, open) => {
    const end = await open(t);
    const publish = await publisher(t, end);
    const gateway = knowing('jane/pixel', '123456789012345');
    const listener = await listen(t, end, gateway);
    await eventually('it listens', listener.isSubscribed);
    await publish('owntracks/joe/phone', location(1));
    await publish('owntracks/jane/pixel', '{no json');
    await publish('owntracks/jane/pixel', 'x'.repeat(10_001));
    await publish('owntracks/jane/pixel', { _type: 'lwt', tst: 1 });
    await publish('owntracks/jane/pixel/waypoints', { _type: 'waypoints', waypoints: [] });
    await publish('owntracks/fleet/123456789012345', location(2));
    await publish('owntracks/jane/pixel/event', { _type: 'transition', event: 'enter', desc: 'Home', tst: 3 });
    await publish('owntracks/jane/pixel', location(4));
    await eventually('the last is stored', () => gateway.times.includes(4000));
    assert.deepEqual(
      gateway.received.map(({ deviceId }) => deviceId),
      [2, 1, 1],
    );
    assert.deepEqual(
      gateway.unknownTrackers.map(({ protocol, names }) => [protocol, names]),
      [['owntracks', ['joe/phone', 'phone']]],
    );
    assert.deepEqual(
      gateway.strange.map(({ name, problem }) => [name, problem]),
      [
        ['owntracks/jane/pixel', 'the body is not a JSON object or array'],
        ['owntracks/jane/pixel', 'it is too large'],
      ],
    );
  },
);

withEach('what the broker kept has the time of its own', async (t, open) => {
  const end = await open(t);
  const publish = await publisher(t, end);
  await publish('owntracks/jane/pixel', location(1), true);
  const gateway = knowing('jane/pixel');
  await listen(t, end, gateway);
  await eventually('it comes', () => gateway.times.length > 0);
  assert.deepEqual(gateway.times, [1000]);
});

withEach('only who has the lease is connected, and another follows', async (t, open) => {
  const end = await open(t);
  let holder = 'one';
  const leaseOf = (name: string) => ({ hold: async () => holder === name, release: async () => {} });
  const [one, two] = [knowing('jane/pixel'), knowing('jane/pixel')];
  const first = await listen(t, end, one, { lease: leaseOf('one') });
  const second = await listen(t, end, two, { lease: leaseOf('two') });
  await eventually('the first listens', first.isSubscribed);
  assert.equal(second.isSubscribed(), false);
  holder = 'two';
  await eventually('the second listens', second.isSubscribed);
  await eventually('the first does not', () => !first.isSubscribed());
  await (await publisher(t, end))('owntracks/jane/pixel', location(1));
  await eventually('it is stored', () => two.times.length === 1);
  assert.deepEqual(one.times, []);
});

withEach('a connection that breaks is made again', async (t, open) => {
  const end = await open(t);
  const gateway = knowing('jane/pixel');
  const listener = await listen(t, end, gateway);
  await eventually('it listens', listener.isSubscribed);
  await end.behave('down');
  await eventually('it is cut off', () => !listener.isSubscribed());
  await end.behave('well');
  await eventually('it listens again', listener.isSubscribed);
  await (await publisher(t, end))('owntracks/jane/pixel', location(1));
  await eventually('it is stored', () => gateway.times.length === 1);
});

withEach(
  'what a gateway receives all the time is stored when it changes, and again if it was not durable',
  async (t, open) => {
    const end = await open(t);
    const publish = await publisher(t, end);
    const gateway = knowing('garage');
    const listener = await listen(t, end, gateway, { topics: listenedTopicsOf('openmqttgateway', topicSources) });
    await eventually('it listens', listener.isSubscribed);
    const tag = (tempc: number) => publish('home/garage/BTtoMQTT/A4C138112233', { tempc, rssi: -60 });
    const stored = () => gateway.received.flatMap(({ report }) => report.gatewayReadings.map(({ value }) => value));
    gateway.outcome = new StoreTrouble('unavailable', new Error('It is down.'));
    await tag(20);
    await eventually('it is tried', () => gateway.asked > 0);
    gateway.outcome = 'stored';
    await eventually('it is stored', () => stored().length > 0);
    for (const tempc of [20, 20, 21, 21, 20]) await tag(tempc);
    await eventually('the last is stored', () => stored().length >= 3);
    assert.deepEqual(stored(), [20, 21, 20]);
    const words = gateway.received.map(({ report }) => report.asSent?.());
    assert.equal(new Set(words).size, 3, 'a value that comes back is not taken for the one before');
  },
);

test('Mosquitto: MQTT 5 is spoken, and what it kept comes after it was started again', {
  skip: withoutMosquitto,
}, async (t) => {
  const end = await mosquittoEnd(t);
  const first = await listen(t, end, knowing('jane/pixel'));
  await eventually('it listens', first.isSubscribed);
  assert.match(await end.log(), /as trackway-test \(p5, c0,/);
  await first.stop();
  await (await publisher(t, end))('owntracks/jane/pixel', location(1));
  await end.restart();
  const gateway = knowing('jane/pixel');
  await listen(t, end, gateway);
  await eventually('it comes', () => gateway.times.length > 0);
  assert.deepEqual(gateway.times, [1000]);
});

withEach('many messages are stored side by side, in their order, and each is acknowledged', async (t, open) => {
  const end = await open(t);
  const publish = await publisher(t, end);
  const names = ['jane/one', 'jane/two', 'jane/three'];
  const gateway = knowing(...names);
  const listener = await listen(t, end, gateway);
  await eventually('it listens', listener.isSubscribed);
  gateway.hold();
  const COUNT = 300;
  for (let i = 0; i < COUNT; i++) await publish(`owntracks/${names[i % 3]}`, location(i + 1));
  await eventually('several are under way', () => gateway.asked > 10);
  assert.ok(gateway.asked <= 200, 'and the broker waits');
  gateway.release();
  await eventually('all are stored', () => gateway.times.length >= COUNT);
  for (const deviceId of [1, 2, 3]) {
    const times = gateway.received
      .filter((one) => one.deviceId === deviceId)
      .flatMap(({ report }) => report.points.map(({ timestamp }) => timestamp!));
    assert.deepEqual(
      times,
      Array.from({ length: COUNT / 3 }, (_, i) => (3 * i + deviceId) * 1000),
    );
  }
  await listener.stop();
  const next = knowing(...names);
  const second = await listen(t, end, next);
  await eventually('it listens', second.isSubscribed);
  await (await publisher(t, end))('owntracks/jane/one', location(9999));
  await eventually('the next comes', () => next.times.length > 0);
  assert.deepEqual(next.times, [9_999_000], 'nothing comes again');
});

withEach('where one can’t be stored, none after it is acknowledged', async (t, open) => {
  const end = await open(t);
  const publish = await publisher(t, end);
  const gateway = knowing('jane/one', 'jane/two');
  const listener = await listen(t, end, gateway);
  await eventually('it listens', listener.isSubscribed);
  gateway.hold();
  await publish('owntracks/jane/one', location(1));
  await publish('owntracks/jane/two', location(2));
  await eventually('both are under way', () => gateway.asked === 2);
  const { receive } = gateway;
  const failing = { isOn: true };
  gateway.receive = async (...given) => {
    if (failing.isOn && given[0].deviceId === 1) throw new StoreTrouble('unavailable', new Error('It is down.'));
    return receive.apply(gateway, given);
  };
  // What is held fails too, and is tried until patience ends.
  gateway.outcome = new StoreTrouble('unavailable', new Error('It is down.'));
  gateway.release();
  await eventually('it is tried again', () => gateway.asked > 2);
  gateway.outcome = 'stored';
  await eventually('the second is stored', () => gateway.times.includes(2000));
  await listener.stop();
  failing.isOn = false;
  const next = knowing('jane/one', 'jane/two');
  await listen(t, end, next);
  await eventually('both come again', () => next.times.length >= 2);
  assert.deepEqual(next.times.slice(0, 2), [1000, 2000]);
});

withEach('what is announced for Home Assistant is read, also what came while nobody listened', async (t, open) => {
  const end = await open(t);
  const publish = await publisher(t, end);
  const kept: { text?: string } = {};
  const memory = {
    load: async () => kept.text,
    async save(text: string) {
      kept.text = text;
    },
  };
  const topics = listenedTopicsOf('owntracks,homeassistant', topicSources);
  const listenWith = (gateway: MqttGateway) =>
    listen(t, end, gateway, {
      topics,
      discovered: new DiscoveredTopics({ memory, isForeign: (topic) => !topic.startsWith('homeassistant/') }),
    });
  const config = (identifier: string, topic: string) => ({
    json_attributes_topic: topic,
    device: { identifiers: [identifier] },
  });
  await publish('homeassistant/device_tracker/cat/config', config('cat', 'pets/cat'), true);
  await publish('homeassistant/device_tracker/dog/config', config('dog', 'pets/dog'), true);
  const gateway = knowing('cat');
  const first = await listenWith(gateway);
  await eventually('it listens', first.isSubscribed);
  await eventually('it has learned', () => kept.text?.includes('pets/cat') && kept.text.includes('pets/dog'));
  const places = (of: FakeMqttGateway) =>
    of.received.flatMap(({ report }) => report.points.map(({ location }) => location?.lat));
  let lat = 50;
  await eventually('it is received', async () => {
    // Whether it is subscribed to by now shows only when something is said.
    await publish('pets/cat', { latitude: ++lat / 2, longitude: 8 });
    return places(gateway).length > 0;
  });
  await publish('pets/dog', { latitude: 51, longitude: 8 });
  await eventually('the unknown tracker is noted', () => gateway.unknownTrackers.length > 0);
  assert.deepEqual(gateway.unknownTrackers[0]!.names, ['dog']);
  assert.equal(gateway.unknownTrackers[0]!.protocol, 'homeassistant');
  await first.stop();

  await publish('pets/cat', { latitude: 10, longitude: 8 });
  const next = knowing('cat');
  const second = await listenWith(next);
  await eventually('what came meanwhile is read', () => places(next).includes(10));
  await publish('homeassistant/device_tracker/cat/config', '', true);
  await eventually('it is forgotten', () => !kept.text?.includes('pets/cat'));
  await publish('pets/cat', { latitude: 11, longitude: 8 });
  await publish('homeassistant/sensor/cat/config', 'no json');
  await eventually('the last was read', () => next.strange.length > 0);
  assert.ok(!places(next).includes(11));
  await second.stop();
});

withEach(
  'waypoints are stored, and a phone that encrypts gets its friends, which nobody else can read',
  async (t, open) => {
    const end = await open(t);
    const publish = await publisher(t, end);
    const gateway = knowing('jane/pixel', 'tom/phone');
    gateway.secret = 's3cret';
    const place = { timestamp: 7000, location: { lat: 51, lng: 9 } };
    gateway.friends = [{ id: '9', name: 'Anna', point: place }];
    const listener = await listen(t, end, gateway);
    await eventually('it listens', () => listener.isSubscribed());
    const phone = await mqtt.connectAsync(end.url, { protocolVersion: 4, reconnectPeriod: 0 });
    t.after(() => phone.end(true));
    const got: { topic: string; body: unknown }[] = [];
    phone.on('message', (topic, payload) => got.push({ topic, body: JSON.parse(String(payload)) }));
    await phone.subscribeAsync(['owntracks/jane/#', 'owntracks/tom/#'], { qos: 1 });

    await publish('owntracks/jane/pixel/waypoint', {
      _type: 'waypoint',
      desc: 'Home',
      lat: 50,
      lon: 8,
      rad: 50,
      tst: 1,
    });
    const list = [{ _type: 'waypoint', desc: 'Work', lat: 51, lon: 8, rad: 50, tst: 2 }];
    await publish('owntracks/jane/pixel/waypoints', { _type: 'waypoints', waypoints: list });
    const readings = () => gateway.received.flatMap(({ report }) => report.readings);
    await eventually('both are stored', () => readings().length === 2);
    assert.deepEqual(
      readings().map(({ type, value }) => [type, (value as { name: string }).name]),
      [
        ['waypoint', 'Home'],
        ['waypoint', 'Work'],
      ],
    );

    await publish('owntracks/tom/phone', location(3));
    await publish('owntracks/jane/pixel', encrypted(location(4), 's3cret'));
    await publish('owntracks/jane/pixel', encrypted(location(5), 'guessed'));
    const fromHere = () => got.filter(({ topic }) => topic.includes('/trackway-'));
    await eventually('friends are published', () => fromHere().length === 2);
    await publish('owntracks/tom/phone', location(6));
    await eventually('all are read', () => gateway.times.includes(6000));
    assert.deepEqual(
      fromHere().map(({ topic, body }) => [topic, decrypted((body as { data: string }).data, 's3cret')?._type]),
      [
        ['owntracks/jane/trackway-9', 'location'],
        ['owntracks/jane/trackway-9/info', 'card'],
      ],
    );
    assert.deepEqual(gateway.unknownTrackers, [], 'what was published from here is not read');
  },
);
