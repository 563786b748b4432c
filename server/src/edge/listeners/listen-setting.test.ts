import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trackerProtocols } from '../protocols/trackers/trackers.ts';
import { fixedPortsOf } from './listen-setting.ts';

const portsOf = (value: string) =>
  fixedPortsOf(value, trackerProtocols).map(({ protocol, number, isRelay }) => [protocol?.name, number, isRelay]);

test('"traccar" opens the well-known port of every protocol, and the one of apps that report by HTTP', () => {
  const [http, ...opened] = portsOf('traccar').reverse();
  assert.deepEqual(http, [undefined, 5055, false]);
  assert.deepEqual(opened.map(([name]) => name).sort(), trackerProtocols.map(({ name }) => name).sort());
  assert.equal(new Set(opened.map(([, port]) => port)).size, opened.length, 'each port once');
  for (const known of [
    ['gps103', 5001],
    ['tk103', 5002],
    ['queclink', 5004],
    ['h02', 5013],
    ['jt808', 5015],
    ['gt06', 5023],
    ['teltonika', 5027],
  ] as const)
    assert.deepEqual(
      opened.find(([name]) => name === known[0]),
      [...known, false],
    );
});

test('a port that is listed besides "traccar" is as listed, and opened once', () => {
  const opened = portsOf('traccar, gt06:5023;relay, any:6000');
  assert.deepEqual(
    opened.filter(([, port]) => port === 5023 || port === 6000),
    [
      ['gt06', 5023, true],
      [undefined, 6000, false],
    ],
  );
  assert.equal(opened.length, trackerProtocols.length + 2);
});

test('options do not follow "traccar"', () => {
  assert.throws(() => portsOf('traccar;relay'), /such as gt06:5023,teltonika:5027, or traccar, not "traccar;relay"/);
});
