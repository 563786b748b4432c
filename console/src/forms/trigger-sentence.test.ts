import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANNEL_KINDS, type Channel } from '@trackway/contract/channels.ts';
import { TRIGGER_TYPES, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Geofence } from '../api/geofences.ts';
import { bodyOfDraft, isWhole, newDraft, type TriggerDraft, withType } from './trigger-draft.ts';
import { type Names, sentenceOf } from './trigger-sentence.ts';

const depot = { id: 5, name: 'Depot', type: 'home', meta: { exitAfter: 120 } } as unknown as Geofence;
const NAMES: Names = { device: 'Van 3', other: 'Van 4', fences: [depot], units: 'metric' };
const silent = Object.fromEntries(CHANNEL_KINDS.map((kind) => [kind, false])) as Record<Channel, boolean>;
const draft = (type: TriggerTypeName, parameters = {}, more: Partial<TriggerDraft> = {}): TriggerDraft => ({
  ...newDraft(1, type, parameters),
  ways: { ...silent, email: true },
  ...more,
});

test('a trigger is said as one would say it', () => {
  const said = (one: TriggerDraft, names = NAMES) => sentenceOf(one, names);
  assert.equal(
    said(draft('geofence', { zoneId: 5, zoneType: 'outside' })),
    'When Van 3 leaves Depot for 2 minutes, e-mail me.',
  );
  assert.equal(said(draft('geoEntry', { zoneGroup: 'home' })), 'When Van 3 enters a geofence of “home”, e-mail me.');
  assert.equal(
    said(draft('speed', { limit: 80, for: 30 }, { muteFor: 600 })),
    'When Van 3 goes faster than 80 km/h for 30 seconds, e-mail me, then stay silent for 10 minutes.',
  );
  assert.equal(
    said(draft('speed', { limit: 80.4672 }), { ...NAMES, units: 'imperial' }),
    'When Van 3 goes faster than 50 mph, e-mail me.',
  );
  assert.equal(
    said(draft('temp', { min: 2, max: 8 })),
    'When the temperature of Van 3 falls below 2 °C or rises above 8 °C, e-mail me.',
  );
  assert.equal(
    said(
      draft(
        'offline',
        { after: 5400 },
        { ways: { ...silent, push: true, http: true }, addresses: { http: 'https://a.example/x' } },
      ),
    ),
    'When Van 3 is not heard for 1 hour 30 minutes, notify my browsers and post to a.example.',
  );
  assert.equal(
    said(draft('button', {}, { ways: silent })),
    'When the button of Van 3 is pressed, record it without telling anyone.',
  );
});

test('every type has its sentence', () => {
  for (const type of Object.keys(TRIGGER_TYPES) as TriggerTypeName[])
    assert.match(sentenceOf(draft(type), NAMES), /^When .*Van 3.*, e-mail me\.$/, type);
});

test('what a type needs is known before the server says so', () => {
  assert.equal(isWhole(draft('speed')), false);
  assert.equal(isWhole(draft('speed', { limit: 0 })), true);
  assert.equal(isWhole(draft('temp')), false);
  assert.equal(isWhole(draft('temp', { min: null, max: -5 })), true);
  assert.equal(isWhole(draft('geofence')), true);
});

test('another type keeps only the parameters that it knows', () => {
  assert.deepEqual(withType(draft('geofence', { zoneId: 5, zoneType: 'inside' }), 'geoEntry').parameters, {
    zoneId: 5,
  });
  assert.deepEqual(withType(draft('speed', { limit: 80 }), 'lowBat').parameters, {});
});

test('addresses go along only with the way that needs them', () => {
  const full = draft(
    'newLoc',
    { readingType: '' },
    { addresses: { email: 'a@example.org', http: 'https://a.example', sqs: 'arn' } },
  );
  assert.deepEqual(bodyOfDraft(full, undefined), {
    type: 'newLoc',
    name: 'newLoc',
    parameters: { email: 'a@example.org' },
    delivery: { ...silent, email: true },
    muteFor: 0,
  });
});
