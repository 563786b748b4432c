import assert from 'node:assert/strict';
import test from 'node:test';
import { at } from '../../../testing/watched-device.ts';
import { identityOf } from '../../positions/identity.ts';
import { normalizePoint } from './normalize.ts';

const NOW = at(0);

const FULL = {
  timestamp: NOW,
  location: { lat: 52.5, lng: -180 },
  speedKmh: 50.5,
  altitudeM: 34,
  courseDeg: 359.5,
  accuracyM: 8,
  locationType: 'wifi',
  sats: 7.9,
  hdop: 0.9,
  batteryPct: 81.5,
  batteryVoltage: 3.9,
  averageCharge: 255,
  sendReason: 16,
  alertType: 8,
  mode: 1,
  gsmSignal: -71,
  address: 'Depot',
  correlationId: 'c-1',
  stringValue: '34',
  currentUsedUah: 12.5,
  numValue: '007',
  cell: { mcc: 262, mnc: 1, lac: 6360, cid: 24_897 },
} as const;

const positionIn = (point: Parameters<typeof normalizePoint>[0]) => {
  const position = normalizePoint(point, NOW);
  assert.ok(typeof position !== 'string', `quarantined: ${position}`);
  return position;
};

test('a position has every field of a report in its place', () => {
  assert.deepEqual(positionIn(FULL), {
    timestamp: NOW,
    locationLat: 52.5,
    locationLng: 180,
    speed: 50.5,
    altitude: 34,
    course: 359.5,
    accuracy: 8,
    locationType: 'wifi',
    sats: 7,
    hdop: 0.9,
    batteryPct: 81.5,
    batteryVoltage: 3.9,
    averageCharge: 255,
    sendReason: 16,
    alertType: 8,
    mode: 1,
    gsmSignal: -71,
    address: 'Depot',
    correlationId: 'c-1',
    stringValue: '34',
    currentUsed: 12.5,
    num_value: '007',
    cell: '{"mcc":262,"mnc":1,"lac":6360,"cid":24897}',
  });
});

test('stored positions are recognised: the hash of a position never changes', () => {
  const hashOf = (point: Parameters<typeof normalizePoint>[0]) => identityOf(positionIn(point));
  assert.equal(hashOf(FULL), 'h6KFO6eu83m6t-Nr');
  assert.equal(hashOf({ timestamp: NOW }), 'BpLthqAhAJNGMbks', 'a status report');
  assert.equal(
    hashOf({ timestamp: NOW, location: { lat: -0, lng: 0 } }),
    '2rP1PnHf6NT5gVOY',
    'zero, whatever its sign',
  );
  assert.equal(
    hashOf({ ...FULL, address: 'Elsewhere', correlationId: 'c-2', stringValue: 'x', currentUsedUah: 1, numValue: '8' }),
    'h6KFO6eu83m6t-Nr',
    'text is not part of it',
  );
  assert.notEqual(hashOf({ ...FULL, mode: 2 }), 'h6KFO6eu83m6t-Nr');
});

test('what cannot be right of a position is left out, what makes it useless is quarantined', () => {
  const { speed, sats, batteryPct } = positionIn({ ...FULL, speedKmh: -1, sats: 5000, batteryPct: Number.NaN });
  assert.deepEqual({ speed, sats, batteryPct }, { speed: null, sats: null, batteryPct: null });
  assert.equal(normalizePoint({ ...FULL, address: '\u0000' }, NOW), 'unstorable');
  assert.equal(normalizePoint({ ...FULL, location: { lat: 91, lng: 0 } }, NOW), 'coordinates');
  assert.equal(normalizePoint({ location: FULL.location }, NOW), 'noTime');
});
