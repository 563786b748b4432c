import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { minuteOfDay } from '../../platform/times.ts';
import { minutesOf, quietUntil, requireHours } from './quiet-hours.ts';

const NIGHT = { from: '22:00', to: '07:00' };
const at = (text: string) => Date.parse(text);
const until = (hours: typeof NIGHT, zone: string | null, now: string) => {
  const end = quietUntil(hours, zone, at(now));
  return end === undefined ? undefined : new Date(end).toISOString();
};

test('quiet reigns from evening to morning by the clock on the wall', () => {
  assert.equal(until(NIGHT, 'Europe/Berlin', '2026-06-01T19:59:59Z'), undefined, '21:59');
  assert.equal(until(NIGHT, 'Europe/Berlin', '2026-06-01T20:00:00Z'), '2026-06-02T05:00:00.000Z', '22:00');
  assert.equal(until(NIGHT, 'Europe/Berlin', '2026-06-02T04:59:59Z'), '2026-06-02T05:00:00.000Z', '06:59');
  assert.equal(until(NIGHT, 'Europe/Berlin', '2026-06-02T05:00:00Z'), undefined, '07:00');
  assert.equal(until(NIGHT, null, '2026-06-01T23:30:00Z'), '2026-06-02T07:00:00.000Z', 'UTC where nobody said');
});

test('quiet may lie within a day, and may be absent', () => {
  const nap = { from: '13:00', to: '14:30' };
  assert.equal(until(nap, 'UTC', '2026-06-01T13:10:00Z'), '2026-06-01T14:30:00.000Z');
  assert.equal(until(nap, 'UTC', '2026-06-01T14:30:00Z'), undefined);
  assert.equal(quietUntil(null, 'UTC', at('2026-06-01T03:00:00Z')), undefined);
  assert.equal(until({ from: '07:00', to: '07:00' }, 'UTC', '2026-06-01T07:00:00Z'), undefined);
});

test('the morning comes at seven by the clock in nights in which clocks change', () => {
  // Berlin: forward on 29 March 2026 at 01:00 UTC, back on 25 October at 01:00 UTC.
  assert.equal(until(NIGHT, 'Europe/Berlin', '2026-03-28T22:00:00Z'), '2026-03-29T05:00:00.000Z');
  assert.equal(until(NIGHT, 'Europe/Berlin', '2026-10-24T21:00:00Z'), '2026-10-25T06:00:00.000Z');
  // The end lies in the skipped hour: the quiet hours end when the clock jumps over it.
  assert.equal(
    until({ from: '22:00', to: '02:30' }, 'Europe/Berlin', '2026-03-28T23:00:00Z'),
    '2026-03-29T01:00:00.000Z',
  );
  // The end occurs twice: the quiet hours end the first time.
  assert.equal(
    until({ from: '22:00', to: '02:30' }, 'Europe/Berlin', '2026-10-24T22:00:00Z'),
    '2026-10-25T00:30:00.000Z',
  );
});

test('quiet ends at the first minute whose clock is not within the hours', () => {
  const clock = fc
    .integer({ min: 0, max: 1439 })
    .map((minute) => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`);
  const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC');
  // The days around clock changes.
  const days = fc.constantFrom('2026-03-28', '2026-10-24', '2026-03-07', '2026-10-31', '2026-04-04', '2026-10-03');
  const check = (from: string, to: string, zone: string, day: string, minutes: number) => {
    const now = at(`${day}T00:00:00Z`) + minutes * 60_000 + 17_000;
    const isQuiet = (moment: number) => {
      const [a, b, here] = [minutesOf(from)!, minutesOf(to)!, minuteOfDay(zone, moment)];
      return a <= b ? a <= here && here < b : here >= a || here < b;
    };
    const end = quietUntil({ from, to }, zone, now);
    if (!isQuiet(now)) return assert.equal(end, undefined);
    assert.ok(end !== undefined && end > now && !isQuiet(end), 'it ends, and then it is not quiet');
    for (let moment = end - 60_000; moment > now; moment -= 17 * 60_000) assert.ok(isQuiet(moment), 'quiet until then');
  };
  fc.assert(
    fc.property(clock, clock, zones, days, fc.integer({ min: 0, max: 2880 }), (from, to, zone, day, minutes) =>
      check(from, to, zone, day, minutes),
    ),
    { numRuns: 60 },
  );
});

test('a profile takes hours and zones that are some, and says what is wrong with others', () => {
  requireHours({ timeZone: 'Europe/Berlin', quietHours: NIGHT });
  requireHours({ timeZone: null, quietHours: null });
  requireHours({});
  for (const wrong of [
    { timeZone: 'Mars/Olympus' },
    { timeZone: '+02:00' },
    { quietHours: { from: '22:00' } },
    { quietHours: { from: '24:00', to: '07:00' } },
    { quietHours: { from: '7:00', to: '08:00' } },
    { quietHours: { from: '07:00', to: '07:00' } },
  ])
    assert.throws(() => requireHours(wrong), { statusCode: 422 }, JSON.stringify(wrong));
});
