import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minifinder } from './minifinder.ts';
import { anySession, framesOf, protocolSuite } from './protocol-suite.ts';
import type { TrackerSession } from './tracker.ts';

const LOGIN = '!1,123456789012345,V07S.5701,87;';
const FIX = '13/07/21,10:40:5,52.500000,-13.250000,36.0,90.5';
const report = (flags: number, type = 'D') => `!${type},${FIX},${flags.toString(16)},34.5,88,7,12,1.5;`;

const decode = (text: string, changes: Partial<TrackerSession> = {}) =>
  minifinder.decode(Buffer.from(text), { ...anySession, ...changes });
const recordOf = (text: string) => decode(text).records[0]!;
const AT = Date.parse('2021-07-13T10:40:05Z');

protocolSuite(minifinder, [Buffer.from(`${LOGIN}${report(1)}\0${report(1, 'B')}`)]);

test('a login names the device', () => {
  const { identities, records } = decode(LOGIN);
  assert.deepEqual(identities, ['123456789012345']);
  assert.deepEqual(records, [{ isValid: false, batteryPct: 87, readings: [{ type: 'firmware', value: 'V07S.5701' }] }]);
  assert.deepEqual(decode('!1,123456789012345').records, []);
});

test('a position has its status in flags', () => {
  assert.deepEqual(decode(report(0x4b0001)), {
    records: [
      {
        timestamp: AT,
        location: { lat: 52.5, lng: -13.25 },
        isValid: true,
        speedKmh: 36,
        courseDeg: 90.5,
        altitudeM: 34.5,
        batteryPct: 88,
        sats: 7,
        hdop: 1.5,
        locationType: 'gps',
        gsmSignal: 11,
        isCharging: true,
        standingAlarms: [],
      },
    ],
  });
  assert.equal(recordOf(report(0)).isValid, false);
  assert.equal(recordOf(report(2)).locationType, 'gsm');
  const alarms = [6, 7, 8, 9, 10, 11, 12, 14, 15].map((bit) => recordOf(report(1 + 2 ** bit)).standingAlarms?.join());
  assert.deepEqual(alarms, [
    'sos',
    'overspeed',
    'fall',
    'geofence',
    'geofence',
    'geofence',
    'lowBattery',
    'movement',
    'movement',
  ]);
});

test('other kinds have less; the clock may be local', () => {
  const short = recordOf(`!A,${FIX},0;`);
  assert.deepEqual([short.timestamp, short.isValid, short.speedKmh, short.standingAlarms], [AT, true, 36, undefined]);
  assert.equal(recordOf(report(1, 'C')).sats, undefined);
  assert.equal(decode(report(1), { timeZone: '+02:00' }).records[0]?.timestamp, AT - 7_200_000);
  assert.deepEqual(recordOf('!5,17,V,50'), { isValid: false, gsmSignal: 17, batteryPct: 50 });
  assert.equal(decode('!3,ok').commandReply?.text, 'ok');
  assert.ok(decode('!X,1').problem);
});

test('noise between frames is skipped; a text goes down as it is', () => {
  assert.equal(framesOf(minifinder, [Buffer.from(`noise!${LOGIN}!!${report(1)}`)]).length, 2);
  assert.equal(minifinder.encode!({ text: '123456LED1', number: 1 }, anySession)?.bytes.toString(), '123456LED1');
  assert.equal(minifinder.encode!({ text: 'a;!1,2', number: 1 }, anySession), undefined);
  assert.equal(minifinder.encode!({ name: 'reboot', parameters: {}, number: 1 }, anySession), undefined);
});
