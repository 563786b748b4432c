import '../../texts/english.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRIGGER_TYPES, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import { distance, temperature } from '../../format/quantities.ts';
import { exactTime } from '../../format/times.ts';
import { AMERICAN, METRIC, type Units } from '../../units.ts';
import { evidenceSentence } from './evidence-sentence.ts';
import { factsOf, surenessOf, surenessOfSide } from './reasons.ts';

const quantities = (units: Units) => ({
  units,
  distance: (metres: number) => distance(metres, units),
  temperature: (celsius: number) => temperature(celsius, units),
});
const AT = '2026-11-15T14:30:00.000Z';

interface Outcome {
  readonly status?: 'valid' | 'suppressed' | 'retracted';
  readonly late?: boolean;
}

function why(type: string, because: Record<string, unknown>, units: Units = METRIC, outcome: Outcome = {}): string {
  const notification = { params: { type }, status: 'valid' as const, late: false, ...outcome };
  return evidenceSentence({ notification, because, sentence: 'As the server says it.' }, 'Van 3', quantities(units));
}

/** As the server records a crossing: `confidence` is that of being inside, `eventConfidence` that of the crossing. */
function crossing(
  crossType: 'entry' | 'exit',
  distanceM: number,
  confidence: number,
  more: Record<string, unknown> = {},
) {
  const fix = { pointId: 1, at: AT, place: { lat: 52, lng: 5 }, distanceM, accuracyM: 8, confidence, stopped: false };
  return {
    crossType,
    zone: { id: 5, name: 'Home' },
    confidence,
    eventConfidence: crossType === 'exit' && more.interpolated !== true ? 1 - confidence : confidence,
    interpolated: false,
    evidence: [fix],
    thresholds: { enter: 0.7, exit: 0.3, enterAfter: 60, exitAfter: 120 },
    ...more,
  };
}

test('an exit is as certain as that the device was outside, in the units of the viewer', () => {
  const left = crossing('exit', 1268, 0);
  assert.equal(why('geofence', left, AMERICAN), 'Van 3 was 0.8 mi outside Home (± 26 ft). Certain.');
  assert.equal(why('geofence', left, METRIC), 'Van 3 was 1.3 km outside Home (± 8 m). Certain.');
  assert.equal(why('geofence', crossing('exit', 5, 0.18)), 'Van 3 was 5 m outside Home (± 8 m). Likely (82 %).');
});

test('an entry is as certain as that the device was inside, in the units of the viewer', () => {
  const entered = crossing('entry', -200, 1);
  assert.equal(why('geoEntry', entered, AMERICAN), 'Van 3 was 656 ft inside Home (± 26 ft). Certain.');
  assert.equal(why('geoEntry', entered, METRIC), 'Van 3 was 200 m inside Home (± 8 m). Certain.');
  assert.equal(why('geofence', crossing('entry', -9, 0.96)), 'Van 3 was 9 m inside Home (± 8 m). Very likely (96 %).');
});

test('a stop, a passage between two positions and a fence without a name are said as such', () => {
  const [fix] = crossing('exit', 40, 0).evidence;
  assert.equal(
    why('geofence', crossing('exit', 40, 0, { evidence: [{ ...fix, stopped: true }], zone: { id: 5, name: null } })),
    'Van 3 was stopped 40 m outside the geofence (± 8 m). Certain.',
  );
  for (const type of ['entry', 'exit'] as const)
    assert.equal(
      why('geofence', crossing(type, 40, 0.82, { interpolated: true })),
      'Van 3 passed through Home between two positions. Likely (82 %).',
    );
});

test('how sure it is, in words', () => {
  const words = [1, 0.995, 0.994, 0.95, 0.7, 0.5, 0.2].map(surenessOf);
  assert.deepEqual(words, [
    'Certain',
    'Certain',
    'Very likely (99 %)',
    'Very likely (95 %)',
    'Likely (70 %)',
    'More likely than not (50 %)',
    'Possible (20 %)',
  ]);
  assert.equal(surenessOfSide({ confidence: 0 }), 'Certain');
  assert.equal(surenessOfSide({ confidence: 0.2 }), 'Likely (80 %)');
});

test('the facts of a crossing match the event', () => {
  const facts = (because: Record<string, unknown>) =>
    Object.fromEntries(factsOf('geofence', { ...because, decidedAt: AT }, AT, quantities(METRIC)));
  assert.deepEqual(facts(crossing('exit', 40, 0)), {
    Geofence: 'Home',
    Confidence: 'Certain',
    'Required confidence': '70 %',
    'Required time outside': '2 min',
  });
  assert.deepEqual(facts(crossing('entry', -40, 0.9)), {
    Geofence: 'Home',
    Confidence: 'Likely (90 %)',
    'Required confidence': '70 %',
    'Required time inside': '1 min',
  });
});

/** What the server records for each type besides crossings, and how it is said. */
const OTHERS: Record<Exclude<TriggerTypeName, 'geofence' | 'geoEntry'>, [Record<string, unknown>, string]> = {
  newLoc: [{}, 'Van 3 reported a position.'],
  newWakeLoc: [{}, 'Van 3 reported a position while awake or moving.'],
  newAvailLoc: [{}, 'Van 3 reported a position in available mode.'],
  newReading: [{ type: 'door', value: 1 }, 'Van 3 reported a reading of type door: 1.'],
  newMsg: [{}, 'Van 3 sent a message.'],
  lowBat: [{ value: 28, threshold: 30 }, 'The battery of Van 3 was at 28 %. The threshold is 30 %.'],
  speed: [{ value: 84.5, limit: 80.4672 }, 'Van 3 was moving at 52.5 mph. The limit is 50 mph.'],
  distance: [{ value: 193.1, limit: 160.9344 }, 'Van 3 traveled 120 mi that day (UTC). The limit is 100 mi.'],
  temp: [{ value: 10, min: 2, max: 8 }, 'The temperature of Van 3 was 50 °F, above the maximum of 46.4 °F.'],
  temp_bme: [{ value: 0, min: 5 }, 'The temperature (BME) of Van 3 was 32 °F, below the minimum of 41 °F.'],
  humidity: [{ value: 71, max: 60 }, 'The humidity at Van 3 was 71 %, above the maximum of 60 %.'],
  pressure: [{ value: 970, min: 980 }, 'The pressure at Van 3 was 970 hPa, below the minimum of 980 hPa.'],
  lightLevel: [{ value: 70, max: 50 }, 'The light level at Van 3 was 70 lx, above the maximum of 50 lx.'],
  ultraLevel: [{ value: 5, min: 10 }, 'The ultrasonic distance of Van 3 was 5, below the minimum of 10.'],
  extAccel: [{ value: 6.5, limit: 4 }, 'The peak force on Van 3 was 6.5, above the maximum of 4.'],
  button: [{}, 'Van 3 reported a button press.'],
  alarm: [{ value: 'harshBraking' }, 'Van 3 raised an alarm: harsh braking.'],
  acc: [{}, 'Van 3 reported a drop.'],
  alertMode: [{ alerts: 0b101 }, 'Van 3 raised an alert: drop and jamming.'],
  proximity: [{ otherName: 'Van 4', meters: 10, by: 'position' }, 'Van 3 was 33 ft from Van 4.'],
  motionStart: [{ since: Date.parse(AT) }, `Van 3 started moving at ${exactTime(AT)}.`],
  motionStop: [{ since: Date.parse(AT) }, `Van 3 stopped at ${exactTime(AT)}.`],
  tow: [{ value: 304.8, limit: 100 }, 'Van 3 moved 1,000 ft while its ignition was off. The limit is 328 ft.'],
  offline: [
    { heardAt: AT, after: 3600 },
    `Van 3 last reported at ${exactTime(AT)}. The alert fires after 1 h without a report.`,
  ],
  expiresDaily: [{ expires: AT }, `The plan of Van 3 expires at ${exactTime(AT)}.`],
  expiresWeekly: [{ expires: AT }, `The plan of Van 3 expires at ${exactTime(AT)}.`],
  maintenance: [{ task: 'Oil change', restKm: 160.9344 }, 'Oil change: maintenance of Van 3 was due in 100 mi.'],
};

test('every type says why it fired', () => {
  for (const type of Object.keys(TRIGGER_TYPES)) {
    if (type === 'geofence' || type === 'geoEntry') continue;
    const [because, sentence] = OTHERS[type as keyof typeof OTHERS];
    assert.equal(why(type, because, AMERICAN), sentence, type);
  }
  assert.equal(why('proximity', { otherName: 'Tag', by: 'ble_seen' }), 'Van 3 detected Tag by Bluetooth.');
  assert.equal(why('of tomorrow', {}), 'As the server says it.');
});

test('what became of it follows', () => {
  const button = (outcome: Outcome) => why('button', {}, METRIC, outcome);
  assert.equal(
    button({ status: 'suppressed' }),
    'Van 3 reported a button press. Suppressed (muted: the alert fired shortly before or after).',
  );
  assert.equal(
    button({ status: 'retracted' }),
    'Retracted: later data shows that it did not happen. Based on the data at the time: Van 3 reported a button press.',
  );
  assert.equal(button({ late: true }), 'Van 3 reported a button press. The data arrived late.');
});
