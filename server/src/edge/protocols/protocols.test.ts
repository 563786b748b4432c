import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isStorable } from '@trackway/contract/values.ts';
import fc from 'fast-check';
import type { ReportedPoint } from '../../reports.ts';
import { MAX_KEY, MAX_NAME, MAX_POSITIONS, MAX_READINGS, MAX_TEXT, MAX_TYPE } from './limits.ts';
import { osmand } from './osmand.ts';
import { overland } from './overland.ts';
import { owntracks } from './owntracks.ts';
import type { Decoded, Malformed, PhoneRequest } from './phone.ts';
import { phoneProtocols } from './protocols.ts';
import { json, NOW, request, taken } from './testing.ts';

/** Tokens that reach deep branches of the decoders. */
const WORDS = [
  ...['id', 'lat', 'lon', 'location', 'timestamp', 'cell', 'wifi', 'alarm', 'coords', 'latitude', 'battery', 'level'],
  ...['extras', '_type', 'tst', 'encrypted', 'data', 'beacon', 'uuid', 'transition', 'steps', 'temp_c-00', 't', 'key'],
  ...[
    'locations',
    'geometry',
    'coordinates',
    'properties',
    'motion',
    'device_id',
    'topic',
    'owntracks/a/b',
    '__proto__',
  ],
  ...['-1', '1e999', 'NaN', 'true', '2026-03-01T12:00:00Z', '1,2,3,4,5', '\u0000', '\ud800', 'constructor', 'waypoint'],
];
const word = fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: 'binary' }), fc.string());
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(word, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('any'), { maxLength: 5 }),
    fc.dictionary(word, tie('any'), { maxKeys: 8 }),
  ),
})).any;
const phoneRequest: fc.Arbitrary<PhoneRequest> = fc.record({
  query: fc.array(fc.tuple(word, word), { maxLength: 20 }),
  contentType: fc.constantFrom('', 'application/json', 'application/x-www-form-urlencoded', 'text/plain'),
  body: fc.oneof(
    value.map((any) => JSON.stringify(any)),
    fc.string(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
    fc.array(fc.tuple(word, word)).map((pairs) => pairs.map(([name, text]) => `${name}=${text}`).join('&')),
  ),
  headers: fc.dictionary(fc.constantFrom('x-limit-u', 'x-limit-d', 'authorization'), word),
  now: fc.constant(NOW),
  secret: fc.option(word, { nil: undefined }),
});

function assertBounded(decoded: Decoded | Malformed) {
  if ('malformed' in decoded) return assert.ok(decoded.malformed.length < 200);
  const { identifier = '-', key = '-', report, ignored } = decoded;
  assert.ok(identifier.length <= MAX_NAME && key.length <= MAX_KEY && isStorable([identifier, key]));
  assert.ok(identifier !== '' && key !== '');
  assert.ok(report.points.length <= MAX_POSITIONS);
  const readings = [...report.readings, ...report.gatewayReadings];
  assert.ok(readings.length <= MAX_READINGS);
  assert.equal(ignored !== undefined, readings.length + report.points.length === 0);
  for (const { location, ...claims } of report.points) {
    assert.ok(location === undefined || (typeof location.lat === 'number' && typeof location.lng === 'number'));
    assert.ok(isStorable(claims), 'every number but a coordinate is finite');
    assert.ok(Object.values(claims).every((claim) => claim !== undefined));
  }
  for (const reading of readings) {
    assert.ok(reading.type.length > 0 && reading.type.length <= MAX_TYPE);
    assert.ok(reading.value !== undefined && reading.value !== null && isStorable(reading));
    assert.ok(JSON.stringify(reading).length < 8 * MAX_TEXT);
  }
}

describe('every protocol', () => {
  for (const protocol of phoneProtocols) {
    test(`${protocol.name} never throws, and is bounded whatever comes`, () => {
      fc.assert(
        fc.property(phoneRequest, (sent) => assertBounded(protocol.decode(sent))),
        { numRuns: 2000 },
      );
    });

    test(`${protocol.name} answers whatever it is given`, () => {
      const outcome = fc.oneof(
        fc.record({ command: word }, { requiredKeys: [] }),
        fc.record({ status: fc.constantFrom(400, 401, 404, 413, 503), problem: word }),
      );
      fc.assert(
        fc.property(outcome, (given) => {
          const { status, body } = protocol.answer(given);
          assert.equal(status, 'status' in given ? given.status : 200);
          assert.equal(typeof body, 'string');
        }),
      );
    });

    test(`${protocol.name} bears what is long, wide and deep`, () => {
      const bodies = [
        '['.repeat(1_000_000),
        `${'['.repeat(5000)}${']'.repeat(5000)}`,
        `${'{"location":'.repeat(5000)}1${'}'.repeat(5000)}`,
        JSON.stringify({ _type: 'location', [`${'x'.repeat(1e6)}`]: 'y'.repeat(1e6), tid: '9'.repeat(1e6) }),
        JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`a${index}`, index]))),
        JSON.stringify({ locations: Array.from({ length: 5000 }, () => ({})) }),
        `lat=${'1'.repeat(1e6)}&timestamp=${'9'.repeat(1e6)}`,
        'a=1&'.repeat(250_000),
      ];
      for (const body of bodies) {
        for (const contentType of ['application/json', '']) {
          assertBounded(protocol.decode(request({ body, contentType })));
        }
      }
    });
  }

  test('has a name of its own', () => {
    const names = phoneProtocols.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
  });
});

/** A position as a phone reports it, in our units. */
const position = fc.record({
  seconds: fc.integer({ min: 946_684_800, max: 2_000_000_000 }),
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
  speedKmh: fc.double({ min: 0, max: 400, noNaN: true }),
  courseDeg: fc.integer({ min: 0, max: 359 }),
  altitudeM: fc.integer({ min: -400, max: 9000 }),
  accuracyM: fc.integer({ min: 1, max: 5000 }),
  batteryPct: fc.integer({ min: 0, max: 100 }),
  charging: fc.boolean(),
});
type Position = typeof position extends fc.Arbitrary<infer T> ? T : never;

const form = (fields: object) =>
  new URLSearchParams(Object.entries(fields).map(([name, field]) => [name, String(field)])).toString();

const flat = (sent: Position) => ({
  id: 'phone',
  timestamp: sent.seconds,
  lat: sent.lat,
  lon: sent.lng,
  speed: sent.speedKmh / 1.852,
  bearing: sent.courseDeg,
  altitude: sent.altitudeM,
  accuracy: sent.accuracyM,
  batt: sent.batteryPct,
  charge: sent.charging,
});

const iso = (sent: Position) => new Date(sent.seconds * 1000).toISOString();

const GENERATIONS: Record<string, (sent: Position) => Decoded | Malformed> = {
  'OsmAnd query': (sent) => osmand.decode(request({ query: form(flat(sent)) })),
  'Traccar Client 9': (sent) =>
    osmand.decode(
      request(
        json({
          device_id: 'phone',
          location: {
            timestamp: iso(sent),
            coords: {
              ...{ latitude: sent.lat, longitude: sent.lng, speed: sent.speedKmh / 3.6, heading: sent.courseDeg },
              ...{ altitude: sent.altitudeM, accuracy: sent.accuracyM },
            },
            battery: { level: sent.batteryPct / 100, is_charging: sent.charging },
          },
        }),
      ),
    ),
  'Traccar Client 10': (sent) =>
    osmand.decode(request({ contentType: 'application/x-www-form-urlencoded', body: form(flat(sent)) })),
  'flat JSON array': (sent) => osmand.decode(request(json([flat(sent)]))),
  OwnTracks: (sent) =>
    owntracks.decode(
      request(
        json({
          ...{ _type: 'location', tid: 'phone', lat: sent.lat, lon: sent.lng, tst: sent.seconds, vel: sent.speedKmh },
          ...{ cog: sent.courseDeg, alt: sent.altitudeM, acc: sent.accuracyM, batt: sent.batteryPct },
          bs: sent.charging ? 2 : 1,
        }),
      ),
    ),
  Overland: (sent) =>
    overland.decode(
      request(
        json({
          locations: [
            {
              type: 'Feature',
              geometry: { type: 'Point', coordinates: [sent.lng, sent.lat] },
              properties: {
                ...{ device_id: 'phone', timestamp: iso(sent), speed: sent.speedKmh / 3.6, course: sent.courseDeg },
                ...{ altitude: sent.altitudeM, horizontal_accuracy: sent.accuracyM },
                battery_level: sent.batteryPct / 100,
                battery_state: sent.charging ? 'charging' : 'unplugged',
              },
            },
          ],
        }),
      ),
    ),
};

describe('what a phone sends comes out as it was meant', () => {
  for (const [generation, sentBy] of Object.entries(GENERATIONS)) {
    test(generation, () => {
      fc.assert(
        fc.property(position, (sent) => {
          const { identifier, report } = taken(sentBy(sent));
          assert.equal(identifier, 'phone');
          const { speedKmh, ...point } = report.points[0]!;
          assert.ok(Math.abs(speedKmh! - sent.speedKmh) <= 0.001);
          // JSON does not preserve the sign of −0.
          const meant: ReportedPoint = {
            timestamp: sent.seconds * 1000,
            location: { lat: sent.lat + 0, lng: sent.lng + 0 },
            courseDeg: sent.courseDeg,
            altitudeM: sent.altitudeM,
            accuracyM: sent.accuracyM,
            batteryPct: sent.batteryPct,
            averageCharge: sent.charging ? 255 : 0,
          };
          assert.deepEqual(point, meant);
          assert.equal(report.points.length, 1);
        }),
      );
    });
  }
});
