import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openmqttgateway } from './openmqttgateway.ts';
import type { SaidOnTopic } from './source.ts';
import { topicSources } from './sources.ts';

const NOW = 1_700_000_000_000;
const decode = (json: unknown, more: { isRetained?: boolean; address?: string } = {}) =>
  openmqttgateway.decode({
    levels: ['garage', 'BTtoMQTT', more.address ?? 'A4C138112233'],
    payload: Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)),
    isRetained: more.isRetained ?? false,
    now: NOW,
  });
function said(json: unknown) {
  const { said: what, ...more } = decode(json) as SaidOnTopic;
  assert.ok('report' in what);
  return { ...more, report: what.report };
}
const received = (json: unknown) => said(json).report.gatewayReadings;

test('a thermometer: a reading for each value, of the gateway of the topic', () => {
  const { names, report } = said({
    ...{ id: 'a4:c1:38:11:22:33', rssi: -71, name: 'LYWSD03', brand: 'Xiaomi', model_id: 'LYWSD03MMC_ATC' },
    ...{ tempc: 21.4, tempf: 70.5, hum: 43, batt: 87, volt: 2.98, distance: 3.5 },
  });
  assert.deepEqual(names, ['garage']);
  const common = {
    timestamp: NOW,
    isTimeAssumed: true,
    sensorDeviceId: 'A4:C1:38:11:22:33',
    rssi: -71,
    meta: { model: 'LYWSD03MMC_ATC', distance: 3.5 },
  };
  assert.deepEqual(report.gatewayReadings, [
    { type: 'temp', value: 21.4, ...common },
    { type: 'humidity', value: 43, ...common },
    { type: 'battery', value: 87, ...common },
    { type: 'ext_voltage', value: 2.98, ...common },
  ]);
});

test('what says nothing else was seen, under its name or its address', () => {
  assert.deepEqual(
    received({ id: 'A4:C1:38:11:22:33', name: 'Keys', rssi: -60 }).map(({ type, value }) => [type, value]),
    [['ble_seen', 'Keys']],
  );
  assert.equal(received({ rssi: -60 })[0]!.value, 'A4:C1:38:11:22:33');
});

test('a beacon is known by its identity, not by the address it has at the moment', () => {
  const [reading] = received({
    ...{ id: '5A:C1:38:11:22:33', mac_type: 1, rssi: -60 },
    ...{ uuid: 'FDA50693A4E24FB1AFCFC6EB07647825', major: 10, minor: 7 },
  });
  assert.equal(reading!.sensorDeviceId, 'fda50693-a4e2-4fb1-afcf-c6eb07647825-10-7');
});

test('doors, movement and acceleration in g', () => {
  const found = received({ open: 1, pir: false, accx: 0, accy: -9.80665, accz: 4.9 });
  assert.deepEqual(
    found.map(({ type, value }) => [type, value]),
    [
      ['door', true],
      ['motion', false],
      ['accel_3d', [0, -1, 0.5]],
    ],
  );
});

test('nothing is made of an address that changes, nor of what the broker kept', () => {
  assert.ok('ignored' in decode({ id: '5A:C1:38:11:22:33', mac_type: 1, tempc: 20 }));
  assert.ok('said' in decode({ id: 'DA:C1:38:11:22:33', mac_type: 1, tempc: 20 }), 'random, but static');
  assert.ok('ignored' in decode({ id: 'A4:C1:38:11:22:33', tempc: 20 }, { isRetained: true }));
  assert.ok('ignored' in decode(''));
});

test('what can’t be read is told', () => {
  assert.deepEqual(decode('[]'), { problem: 'the payload is not a JSON object', names: ['garage'] });
  assert.deepEqual(decode({ tempc: 20 }, { address: 'nobody' }), {
    problem: 'it does not name the received device',
    names: ['garage'],
  });
});

test('the same said again is told from a change, whatever its strength', () => {
  const of = (json: object) => said({ id: 'A4:C1:38:11:22:33', ...json }).repeated;
  assert.deepEqual(of({ tempc: 20, rssi: -60 }), of({ tempc: 20, rssi: -65 }));
  assert.notDeepEqual(of({ tempc: 20 }), of({ tempc: 20.5 }));
});

test('JSON that is nested too deeply is not read, whatever the source', () => {
  const nested = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  for (const body of [nested, `{"id":"a4:c1:38:11:22:33","tempc":21,"_type":"location","lat":1,"lon":2,"x":${nested}}`])
    for (const { name, decode } of topicSources) {
      const read = decode({ levels: ['a', 'b', 'c'], payload: Buffer.from(body), isRetained: false, now: NOW });
      assert.ok('problem' in read || 'ignored' in read, name);
    }
});
