import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AMERICAN, BRITISH, METRIC, readUnits, usualUnits } from './units.ts';

test('units depend on the country, and are metric if it is unknown', () => {
  assert.deepEqual(usualUnits('en-US'), { distance: 'imperial', length: 'imperial', temperature: 'fahrenheit' });
  assert.deepEqual(usualUnits('en-GB'), { distance: 'imperial', length: 'metric', temperature: 'celsius' });
  for (const language of ['de-DE', 'en-AU', 'en', 'cy', '', 'not a language']) {
    assert.deepEqual(usualUnits(language), METRIC, language);
  }
  assert.deepEqual(usualUnits('cy-GB'), BRITISH);
});

test('what a browser stored is read, also when it was stored as one word', () => {
  assert.deepEqual(readUnits({ distance: 'metric', temperature: 'fahrenheit' }, BRITISH), {
    distance: 'metric',
    length: 'metric',
    temperature: 'fahrenheit',
  });
  assert.deepEqual(readUnits('metric', AMERICAN), METRIC);
  assert.deepEqual(readUnits('imperial', AMERICAN), AMERICAN);
  assert.deepEqual(readUnits('imperial', BRITISH), { ...AMERICAN, temperature: 'celsius' });
  for (const nothing of [undefined, null, 7, 'furlongs']) assert.deepEqual(readUnits(nothing, BRITISH), BRITISH);
});
