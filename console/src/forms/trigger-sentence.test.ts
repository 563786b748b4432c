import '../texts/english.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANNEL_KINDS, type Channel } from '@trackway/contract/channels.ts';
import { TRIGGER_TYPES, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Geofence } from '../api/geofences.ts';
import type { Trigger } from '../api/triggers.ts';
import { AMERICAN, METRIC } from '../units.ts';
import { bodyOfDraft, draftOf, isWhole, newDraft, type TriggerDraft, withType } from './trigger-draft.ts';
import { type Names, sentenceOf } from './trigger-sentence.ts';
import { webhookExample } from './webhook-example.ts';

const depot = { id: 5, name: 'Depot', type: 'home', meta: { exitAfter: 120 } } as unknown as Geofence;
const NAMES: Names = { device: 'Van 3', other: 'Van 4', fences: [depot], units: METRIC };
const silent = Object.fromEntries(CHANNEL_KINDS.map((kind) => [kind, false])) as Record<Channel, boolean>;
const draft = (type: TriggerTypeName, parameters = {}, more: Partial<TriggerDraft> = {}): TriggerDraft => ({
  ...newDraft(type, parameters),
  ways: { ...silent, email: true },
  ...more,
});

const said = (type: TriggerTypeName, parameters = {}, names = NAMES) => sentenceOf(draft(type, parameters), names);

/** The clause of each type with its parameters left out or at their usual, between "When" and "e-mail me". */
const PLAIN: Record<TriggerTypeName, readonly [parameters: Record<string, unknown>, clause: string]> = {
  newLoc: [{}, 'Van 3 reports a position'],
  newWakeLoc: [{}, 'Van 3 reports a position while awake or moving'],
  newAvailLoc: [{}, 'Van 3 reports a position in available mode'],
  newReading: [{}, 'Van 3 reports any reading'],
  newMsg: [{}, 'Van 3 sends a message'],
  geofence: [{}, 'Van 3 enters or leaves any geofence'],
  geoEntry: [{ zoneGroup: 'home' }, 'Van 3 enters a geofence in category “home”'],
  lowBat: [{}, 'the battery of Van 3 falls to 30 % or below'],
  speed: [{ limit: 80 }, 'Van 3 moves faster than 80 km/h'],
  distance: [{ limit: 300 }, 'Van 3 travels more than 300 km in one day'],
  temp: [{ min: 2, max: 8 }, 'the temperature of Van 3 falls below 2 °C or rises above 8 °C'],
  temp_bme: [{ max: 8 }, 'the temperature (BME) of Van 3 rises above 8 °C'],
  humidity: [{ max: 60 }, 'the humidity at Van 3 rises above 60 %'],
  pressure: [{ min: 980 }, 'the pressure at Van 3 falls below 980 hPa'],
  lightLevel: [{ max: 50 }, 'the light level at Van 3 rises above 50 lx'],
  ultraLevel: [{ min: 10 }, 'the ultrasonic distance of Van 3 falls below 10'],
  button: [{}, 'the button on Van 3 is pressed'],
  acc: [{}, 'Van 3 is dropped'],
  alertMode: [{}, 'Van 3 raises an alert'],
  alarm: [{ alarms: ['sos', 'harshBraking'] }, 'Van 3 raises the alarm SOS or harsh braking'],
  extAccel: [{ limit: 4 }, 'the peak force on Van 3 rises above 4'],
  proximity: [{ deviceId: 4 }, 'Van 3 comes within 50 m of Van 4'],
  motionStart: [{}, 'Van 3 starts moving'],
  motionStop: [{}, 'Van 3 stops moving'],
  tow: [{}, 'Van 3 is towed: moves more than 100 m with the ignition off'],
  offline: [{ after: 5400 }, 'Van 3 has not reported for 1 hour 30 minutes'],
  expiresDaily: [{}, 'the plan of Van 3 expires within a day'],
  expiresWeekly: [{}, 'the plan of Van 3 expires within a week'],
  maintenance: [{}, 'maintenance of Van 3 is due, or will be soon'],
};

test('every type says when it fires', () => {
  for (const type of Object.keys(TRIGGER_TYPES) as TriggerTypeName[]) {
    const [parameters, clause] = PLAIN[type];
    assert.equal(said(type, parameters), `When ${clause}, e-mail me.`, type);
  }
});

test('a condition that must last says for how long', () => {
  const waits = { ...NAMES, fences: [{ ...depot, meta: { enterAfter: 60, exitAfter: 120 } } as unknown as Geofence] };
  const outside = (zoneType?: string, names = NAMES) => said('geofence', { zoneId: 5, zoneType }, names);
  assert.equal(outside('outside'), 'When Van 3 has been outside Depot for 2 minutes, e-mail me.');
  assert.equal(outside('inside'), 'When Van 3 enters Depot, e-mail me.');
  assert.equal(outside('cross'), 'When Van 3 enters Depot or has been outside it for 2 minutes, e-mail me.');
  assert.equal(outside('inside', waits), 'When Van 3 has been inside Depot for 1 minute, e-mail me.');
  assert.equal(
    outside('cross', waits),
    'When Van 3 has been inside Depot for 1 minute or has been outside it for 2 minutes, e-mail me.',
  );
  assert.equal(said('geoEntry', { zoneId: 5 }, waits), 'When Van 3 has been inside Depot for 1 minute, e-mail me.');
  assert.equal(
    said('speed', { limit: 80, for: 30 }),
    'When Van 3 has been moving faster than 80 km/h for 30 seconds, e-mail me.',
  );
  assert.equal(said('motionStart', { for: 90 }), 'When Van 3 has been moving for 2 minutes, e-mail me.');
  assert.equal(said('motionStop', { for: 3600 }), 'When Van 3 has been stopped for 1 hour, e-mail me.');
});

test('parameters that narrow a condition are named', () => {
  assert.equal(said('newReading', { readingType: 'door' }), 'When Van 3 reports a reading of type door, e-mail me.');
  assert.equal(
    said('distance', { limit: 300, days: [1, 2] }),
    'When Van 3 travels more than 300 km on a Monday or Tuesday, e-mail me.',
  );
  assert.equal(said('alertMode', { mask: 0b1001 }), 'When Van 3 raises a drop or button alert, e-mail me.');
  assert.equal(said('alertMode', { mask: 0b100000 }), 'When Van 3 raises an ignition alert, e-mail me.');
});

test('quantities are in the units of the viewer', () => {
  const imperial = { ...NAMES, units: AMERICAN };
  assert.equal(said('speed', { limit: 80.4672 }, imperial), 'When Van 3 moves faster than 50 mph, e-mail me.');
  assert.equal(
    said('distance', { limit: 160.9344 }, imperial),
    'When Van 3 travels more than 100 mi in one day, e-mail me.',
  );
  assert.equal(said('temp', { max: 8 }, imperial), 'When the temperature of Van 3 rises above 46.4 °F, e-mail me.');
  assert.equal(said('proximity', { deviceId: 4 }, imperial), 'When Van 3 comes within 164 ft of Van 4, e-mail me.');
});

test('a sentence names the channels and the mute time', () => {
  const button = (more: Partial<TriggerDraft>) => sentenceOf(draft('button', {}, more), NAMES);
  assert.equal(
    button({ ways: { ...silent, push: true, http: true }, addresses: { http: 'https://a.example/x' } }),
    'When the button on Van 3 is pressed, send me a browser notification and call the webhook at a.example.',
  );
  assert.equal(
    button({ ways: { ...silent, http: true }, addresses: { http: 'http://127.0.0.1:8123/x' } }),
    'When the button on Van 3 is pressed, call a webhook.',
  );
  assert.equal(button({ muteFor: 600 }), 'When the button on Van 3 is pressed, e-mail me, then mute for 10 minutes.');
  assert.equal(button({ ways: silent }), 'When the button on Van 3 is pressed, record it without notifying anyone.');
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

test('a new webhook gets plain JSON; one that is there keeps its form until it is changed', () => {
  const hook = draft('newLoc', {}, { ways: { ...silent, http: true }, addresses: { http: 'https://a.example' } });
  assert.equal(bodyOfDraft(hook, undefined).delivery.raw, true);
  assert.equal('raw' in bodyOfDraft({ ...hook, isPlain: false }, undefined).delivery, false);
  assert.equal('raw' in bodyOfDraft(draft('newLoc'), undefined).delivery, false, 'only where there are two forms');
  const stored = (delivery: object) =>
    draftOf({ type: 'newLoc', name: 'newLoc', parameters: {}, delivery, muteFor: 0 } as unknown as Trigger);
  assert.equal(stored({ http: true }).isPlain, false);
  assert.equal(stored({ http: true, raw: true }).isPlain, true);
  assert.equal(stored({ push: true }).isPlain, true, 'a webhook that is added is a new one');
});

test('the example is what the choice sends', () => {
  const plain = JSON.parse(webhookExample(draft('speed', {}, { isPlain: true }), 'Van 3 is fast'));
  assert.deepEqual([plain.notification.params.message, plain.device.id], ['Van 3 is fast', 7]);
  const wrapped = JSON.parse(webhookExample(draft('speed', {}, { isPlain: false }), 'Van 3 is fast'));
  assert.equal(wrapped.Type, 'Notification');
  assert.deepEqual(JSON.parse(wrapped.Message), plain);
});
