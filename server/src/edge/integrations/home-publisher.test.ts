import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import mqtt from 'mqtt';
import type { HomeDevice } from '../../calls.ts';
import { eventually } from '../../testing/eventually.ts';
import { watchfulLog } from '../../testing/watchful-log.ts';
import { mosquittoEnd, withoutMosquitto } from '../channels/testing/mosquitto-end.ts';
import { type MqttEnd, mqttEnd } from '../channels/testing/mqtt-end.ts';
import { startHomePublisher } from './home-publisher.ts';

type BrokerEnd = Pick<MqttEnd, 'url' | 'behave' | 'endConnections'>;
const BROKERS: readonly { readonly name: string; readonly open: (t: TestContext) => Promise<BrokerEnd> }[] = [
  { name: 'Aedes', open: mqttEnd },
  ...(withoutMosquitto ? [] : [{ name: 'Mosquitto', open: mosquittoEnd }]),
];
if (withoutMosquitto) test('Home Assistant by Mosquitto', { skip: withoutMosquitto }, () => {});

const deviceOf = (deviceId: number, more: Partial<HomeDevice> = {}): HomeDevice => ({
  deviceId,
  name: `Van ${deviceId}`,
  place: { lat: 50, lng: 8, at: '2026-01-01T00:00:00.000Z', speed: 30, course: null, accuracy: 12 },
  batteryPct: 80,
  readings: new Map([['temp', { value: 21.5, timestamp: 1 }]]),
  ...more,
});

/** The user's devices; it can fail as a store does. */
class Devices {
  shown: readonly HomeDevice[] = [];
  fails = false;
  asked = 0;
  async list() {
    this.asked++;
    if (this.fails) throw new Error('It is down.');
    return this.shown;
  }
}

const ALWAYS = { hold: async () => true, release: async () => {} };

function publish(t: TestContext, end: BrokerEnd, devices: Devices, atOnce?: number) {
  const publisher = startHomePublisher({
    url: end.url,
    prefix: 'homeassistant',
    node: 'trackway_test',
    devices,
    lease: ALWAYS,
    log: { ...watchfulLog, warn: () => {} },
    everyMs: 20,
    ...(atOnce !== undefined && { atOnce }),
  });
  t.after(() => publisher.stop());
  return publisher;
}

/** What Home Assistant would find on the broker, and how often each topic was published to. */
async function home(t: TestContext, end: BrokerEnd) {
  const client = await mqtt.connectAsync(end.url, { reconnectPeriod: 20 });
  t.after(() => client.end(true));
  const kept = new Map<string, string>();
  const counts = new Map<string, number>();
  client.on('message', (topic, payload) => {
    counts.set(topic, (counts.get(topic) ?? 0) + 1);
    if (payload.length === 0) kept.delete(topic);
    else kept.set(topic, payload.toString());
  });
  await client.subscribeAsync('homeassistant/#', { qos: 1 });
  const read = (topic: string) => JSON.parse(kept.get(topic) ?? 'null') as Record<string, unknown>;
  return { client, kept, counts, read };
}

const TRACKER = 'homeassistant/device_tracker/trackway_test/7';
const STATUS = 'homeassistant/device_tracker/trackway_test/status';

for (const { name, open } of BROKERS) {
  test(`${name}: a device appears with its place and its sensors, and goes when it may not be seen`, async (t) => {
    const end = await open(t);
    const ha = await home(t, end);
    const devices = new Devices();
    devices.shown = [deviceOf(7), deviceOf(8, { place: null, readings: new Map() })];
    const publisher = publish(t, end, devices);
    await eventually('all is there', () => ha.kept.has('homeassistant/sensor/trackway_test/8_battery/state'));
    const { state_topic, json_attributes_topic, availability_topic, unique_id, source_type, origin } = ha.read(
      `${TRACKER}/config`,
    );
    assert.deepEqual(
      { state_topic, json_attributes_topic, availability_topic, unique_id, source_type, origin },
      {
        state_topic: `${TRACKER}/state`,
        json_attributes_topic: `${TRACKER}/attributes`,
        availability_topic: STATUS,
        unique_id: 'trackway_test_7',
        source_type: 'gps',
        origin: { name: 'Trackway' },
      },
    );
    assert.deepEqual(ha.read(`${TRACKER}/attributes`), {
      latitude: 50,
      longitude: 8,
      gps_accuracy: 12,
      battery_level: 80,
      speed: 30,
      last_seen: '2026-01-01T00:00:00.000Z',
    });
    assert.equal(ha.kept.get('homeassistant/sensor/trackway_test/7_temp/state'), '21.5');
    assert.equal(ha.kept.get(STATUS), 'online');
    assert.ok(!ha.kept.has('homeassistant/device_tracker/trackway_test/8/config'), 'without a place it is no tracker');

    devices.fails = true;
    const asked = devices.asked;
    await eventually('it asked in vain', () => devices.asked > asked + 2);
    assert.ok(ha.kept.has(`${TRACKER}/attributes`), 'what cannot be published is no end of a right');
    devices.fails = false;
    devices.shown = [deviceOf(8, { place: null, readings: new Map() })];
    await eventually('nothing of it is left', () => ![...ha.kept.keys()].some((topic) => /\/7(_|\/)/.test(topic)));
    assert.ok(ha.kept.has('homeassistant/sensor/trackway_test/8_battery/state'));
    await publisher.stop();
    await eventually('it is said to be away', () => ha.kept.get(STATUS) === 'offline');
  });

  test(`${name}: what an earlier process published goes too, and only changes are published`, async (t) => {
    const end = await open(t);
    const ha = await home(t, end);
    const devices = new Devices();
    devices.shown = [deviceOf(7), deviceOf(8)];
    const first = publish(t, end, devices);
    await eventually('all is there', () => ha.kept.has('homeassistant/sensor/trackway_test/8_temp/state'));
    await first.stop();
    devices.shown = [deviceOf(8)];
    publish(t, end, devices);
    await eventually('nothing of it is left', () => ![...ha.kept.keys()].some((topic) => /\/7(_|\/)/.test(topic)));
    await eventually('it is online', () => ha.kept.get(STATUS) === 'online');
    const statuses = ha.counts.get(STATUS)!;
    await ha.client.publishAsync(STATUS, 'offline', { qos: 1, retain: true });
    await eventually('a late last will was corrected', () => ha.counts.get(STATUS)! >= statuses + 2);
    await eventually('it is online again', () => ha.kept.get(STATUS) === 'online');
    const attributes = 'homeassistant/device_tracker/trackway_test/8/attributes';
    await eventually('it was published again', () => ha.counts.get(attributes) === 2);
    const asked = devices.asked;
    await eventually('it looked again', () => devices.asked > asked + 3);
    assert.equal(ha.counts.get(attributes), 2);
    await ha.client.publishAsync('homeassistant/status', 'online', { qos: 1 });
    await eventually('all is published to Home Assistant again', () => ha.counts.get(attributes) === 3);
  });

  test(`${name}: it is published in small parts, and goes on after the connection broke`, async (t) => {
    const end = await open(t);
    const devices = new Devices();
    devices.shown = Array.from({ length: 20 }, (_, index) => deviceOf(index + 1));
    publish(t, end, devices, 5);
    const ha = await home(t, end);
    const last = 'homeassistant/sensor/trackway_test/20_temp/state';
    await eventually('the last is there', () => ha.kept.has(last));
    assert.ok(devices.asked >= 20, 'rights are asked before each part');
    end.endConnections();
    devices.shown = devices.shown.map((one) => ({ ...one, readings: new Map([['temp', { value: 5, timestamp: 2 }]]) }));
    await eventually('the next is published', () => ha.kept.get(last) === '5');
  });
}
