import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './entity.ts';
import { saidByEntities } from './entity-report.ts';
import { valueAt, valuePathOf } from './template.ts';

const NOW = 1_700_000_000_000;
const anyTopic = (_topic: string) => true;
const read = (path: string, config: unknown, isForeign = anyTopic) =>
  readConfig(path.split('/'), Buffer.from(typeof config === 'string' ? config : JSON.stringify(config)), isForeign);
const entitiesOf = (path: string, config: unknown) => {
  const found = read(path, config);
  assert.ok('entities' in found, JSON.stringify(found));
  return found.entities;
};
const said = (path: string, config: unknown, topic: string, payload: unknown, isRetained = false) =>
  saidByEntities(entitiesOf(path, config), {
    topic,
    payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    isRetained,
    now: NOW,
  }).map(({ names, said: what, repeated }) => ({ names, ...('report' in what ? what.report : {}), repeated }));

const TRACKER = {
  state_topic: 'cat/state',
  json_attributes_topic: 'cat/attributes',
  source_type: 'gps',
  unique_id: 'cat-1',
  device: { identifiers: ['0815'], name: 'Cat' },
};

test('the usual templates are understood, others are not', () => {
  const json = { a: { b: 21.456, 'c d': [1, { e: 'x' }] }, t: '20.55' };
  const at = (template: string) => {
    const path = valuePathOf(template);
    return path === undefined ? 'unknown' : valueAt(path, 'text', json);
  };
  assert.deepEqual(
    [
      '{{ value }}',
      '{{value_json.a.b}}',
      '{{ value_json.a.b | round(1) }}',
      "{{ value_json['a']['c d'][1].e }}",
      '{{ value_json.a.b | float | round(0) }}',
      '{{ value_json.t | float(0) | round(1) | is_defined }}',
      '{{ value_json.no.such }}',
      '{{ value_json.constructor }}',
    ].map(at),
    ['text', 21.456, 21.5, 'x', 21, 20.6, undefined, undefined],
  );
  for (const odd of ['{% if x %}1{% endif %}', '{{ value_json.a * 2 }}', '{{ states("x") }}', '{{ value.x }}', '', 'x'])
    assert.equal(at(odd), 'unknown', odd);
});

test('a tracker gives positions by its attributes, and its zone', () => {
  const attributes = { latitude: 50.1, longitude: 8.6, gps_accuracy: 15, battery_level: 77 };
  const [one] = said('device_tracker/cat/config', TRACKER, 'cat/attributes', attributes);
  assert.deepEqual(one!.names, ['0815', 'cat', 'cat-1']);
  assert.deepEqual(one!.points, [
    {
      timestamp: NOW,
      isTimeAssumed: true,
      location: { lat: 50.1, lng: 8.6 },
      locationType: 'gps',
      accuracyM: 15,
      batteryPct: 77,
    },
  ]);
  assert.ok(one!.repeated, 'what bears no time may be said again');
  const [zone] = said('device_tracker/cat/config', TRACKER, 'cat/state', 'not_home');
  assert.deepEqual(zone!.readings, [
    { timestamp: NOW, isTimeAssumed: true, type: 'zone', value: 'not_home', meta: { entity: 'cat' } },
  ]);
  assert.deepEqual(said('device_tracker/cat/config', TRACKER, 'cat/state', 'None'), []);
});

test('what the broker kept is old news, unless it bears its time', () => {
  const place = { latitude: 50, longitude: 8 };
  assert.deepEqual(said('device_tracker/cat/config', TRACKER, 'cat/attributes', place, true), []);
  assert.deepEqual(said('device_tracker/cat/config', TRACKER, 'cat/state', 'home', true), []);
  const timed = { ...place, last_seen: '2023-11-14T00:00:00Z' };
  const [one] = said('device_tracker/cat/config', TRACKER, 'cat/attributes', timed, true);
  assert.equal(one!.points![0]!.timestamp, Date.parse(timed.last_seen));
  assert.equal(one!.repeated, undefined);
});

test('sensors give readings with our words and units, abbreviations are understood', () => {
  const sensor = (more: object) => ({
    '~': 'zigbee/cellar',
    stat_t: '~/state',
    dev: { ids: '0x00158d', cns: [['mac', 'a4:c1:38:11:22:33']] },
    ...more,
  });
  const value = (component: string, more: object, payload: unknown) => {
    const [one] = said(`${component}/cellar/x/config`, sensor(more), 'zigbee/cellar/state', payload);
    return one?.readings?.map(({ type, value: read }) => [type, read]);
  };
  const json = { temperature: 68, door: 'open', hum: '55.25' };
  assert.deepEqual(
    value('sensor', { dev_cla: 'temperature', unit_of_meas: '°F', val_tpl: '{{ value_json.temperature }}' }, json),
    [['temp', 20]],
  );
  assert.deepEqual(value('sensor', { dev_cla: 'humidity', val_tpl: '{{ value_json.hum | round(1) }}' }, json), [
    ['humidity', 55.3],
  ]);
  assert.deepEqual(value('sensor', { dev_cla: 'pressure', unit_of_meas: 'kPa' }, '101.3'), [['pressure', 1013]]);
  assert.deepEqual(
    value('binary_sensor', { dev_cla: 'door', pl_on: 'open', pl_off: 'shut', val_tpl: '{{ value_json.door }}' }, json),
    [['door', true]],
  );
  assert.deepEqual(value('binary_sensor', { dev_cla: 'motion' }, 'OFF'), [['motion', false]]);
  assert.equal(value('sensor', {}, '5'), undefined, 'without a class it may be anything');
  assert.equal(value('sensor', { dev_cla: 'temperature' }, 'unavailable'), undefined);
  assert.deepEqual(entitiesOf('sensor/cellar/x/config', sensor({ dev_cla: 'temperature' }))[0]!.names, [
    '0x00158d',
    'A4:C1:38:11:22:33',
    'a4:c1:38:11:22:33',
    'cellar',
  ]);
});

test('several entities of a device come at once, and one message gives one report', () => {
  const config = {
    dev: { ids: ['hive'] },
    o: { name: 'hive2mqtt' },
    state_topic: 'hive/state',
    cmps: {
      t: { p: 'sensor', device_class: 'temperature', value_template: '{{ value_json.t }}' },
      h: { p: 'sensor', device_class: 'humidity', value_template: '{{ value_json.h }}' },
      b: { p: 'button', command_topic: 'x' },
    },
  };
  const reports = said('device/hive/config', config, 'hive/state', { t: 35, h: 60 });
  assert.equal(reports.length, 1);
  assert.deepEqual(
    reports[0]!.readings!.map(({ type, value }) => [type, value]),
    [
      ['temp', 35],
      ['humidity', 60],
    ],
  );
});

test('our own announcements, patterns and topics of ours are left out', () => {
  assert.ok('ignored' in read('device_tracker/trackway_0123/7/config', TRACKER));
  assert.ok('ignored' in read('device_tracker/cat/config', { ...TRACKER, origin: { name: 'Trackway' } }));
  assert.ok('ignored' in read('device_tracker/cat/config', { ...TRACKER, o: { name: 'Trackway' } }));
  assert.ok('ignored' in read('light/cat/config', TRACKER));
  for (const topic of ['#', 'a/+/b', '$SYS/x', '', 'a\u0000', 'x'.repeat(501)])
    assert.deepEqual(entitiesOf('sensor/cat/config', { ...TRACKER, state_topic: topic }), [], topic.slice(0, 10));
  const found = read('device_tracker/cat/config', TRACKER, (topic) => topic !== 'cat/state');
  assert.ok('entities' in found && found.entities[0]!.stateTopic === undefined);
});

test('whatever is sent, nothing throws', () => {
  const values = [null, 1, 'x', [], {}, { device: 5 }, { device: { identifiers: [[], {}], connections: [5, [1]] } }];
  const fields = [
    'state_topic',
    'device',
    '~',
    'value_template',
    'cmps',
    'origin',
    'json_attributes_topic',
    'payload_on',
  ];
  for (const value of values) {
    for (const path of ['sensor/a/config', 'device/a/config', 'device_tracker/a/b/config', 'config', ''])
      read(path, value ?? 'null');
    for (const field of fields) {
      const found = read('device_tracker/cat/config', { ...TRACKER, [field]: value });
      if (!('entities' in found)) continue;
      for (const topic of ['cat/state', 'cat/attributes'])
        for (const payload of ['', 'null', '[]', '{"latitude":{}}', '{"latitude":"x","longitude":1}', '\u0000'])
          saidByEntities(found.entities, { topic, payload: Buffer.from(payload), isRetained: false, now: NOW });
    }
  }
});
