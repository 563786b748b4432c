import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Abilities, shownSheets } from './shown-sheets.ts';

const NOTHING: Abilities = {
  positions: false,
  readings: false,
  hearings: false,
  messages: false,
  configuration: false,
  forwarders: false,
  quarantine: false,
};

test('a phone has a history and no configuration; a sensor has readings and no history', () => {
  const phone = shownSheets({ ...NOTHING, positions: true }, false);
  assert.deepEqual(phone, ['overview', 'day', 'timeline', 'readings', 'triggers', 'maintenance', 'access']);
  const sensor = shownSheets({ ...NOTHING, readings: true }, false);
  assert.deepEqual(sensor, ['overview', 'timeline', 'readings', 'triggers', 'access']);
});

test('what needs a look is in sight', () => {
  const shown = shownSheets({ ...NOTHING, quarantine: true, forwarders: true, configuration: true }, false);
  assert.deepEqual(shown, ['overview', 'timeline', 'config', 'triggers', 'forwarding', 'access', 'quarantine']);
});

test('one that never reported may move', () => {
  assert.ok(shownSheets(NOTHING, true).includes('day'));
});
