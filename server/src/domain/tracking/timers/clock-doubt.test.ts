import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW } from '../../../testing/people.ts';
import { ClockDoubt } from './clock-doubt.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Devices that report, each by its own clock, to a server whose clock is off by some milliseconds. */
function setting(offMs = 0) {
  let passed = 0;
  const doubt = new ClockDoubt({ monotonic: () => passed });
  return {
    doubt,
    set(ms: number) {
      offMs = ms;
    },
    pass(ms: number) {
      passed += ms;
    },
    /** @param lateMs how old its newest position is */
    report(deviceId: number, lateMs: number) {
      const now = NOW + passed + offMs;
      const points = [{ timestamp: NOW + passed - lateMs, location: { lat: 1, lng: 2 } }];
      doubt.observe(deviceId, { points }, now);
    },
  };
}

test('a clock that most devices agree with is not in doubt', () => {
  const { doubt, report } = setting();
  for (let device = 0; device < 20; device++) report(device, device * 2000);
  assert.equal(doubt.offsetMs(), null);
});

test('a clock that is an hour slow, or fast, is in doubt, though some devices are wrong or late', () => {
  for (const off of [-HOUR_MS, HOUR_MS]) {
    const { doubt, report, pass } = setting(off);
    for (let round = 0; round < 3; round++) {
      for (let device = 0; device < 16; device++) report(device, 1000 + device * 1000);
      for (let device = 16; device < 20; device++) report(device, device * HOUR_MS);
      pass(MINUTE_MS);
    }
    assert.ok(Math.abs(doubt.offsetMs()! + off) < MINUTE_MS, String(doubt.offsetMs()));
  }
});

test('late reports are no doubt, and neither are two devices', () => {
  const late = setting();
  for (let device = 0; device < 20; device++) late.report(device, device * 7 * MINUTE_MS);
  assert.equal(late.doubt.offsetMs(), null);
  const outage = setting();
  // What devices could not send during an outage arrives at once, then what is new.
  for (let device = 0; device < 20; device++) outage.report(device, 20 * MINUTE_MS);
  assert.equal(outage.doubt.offsetMs(), null);
  for (let minute = 20; minute > 5; minute -= 3) {
    for (let device = 0; device < 20; device++) outage.report(device, minute * MINUTE_MS);
    outage.pass(MINUTE_MS);
    assert.equal(outage.doubt.offsetMs(), null);
  }
  const few = setting(-HOUR_MS);
  few.report(1, 0);
  few.report(2, 0);
  assert.equal(few.doubt.offsetMs(), null);
});

test('the doubt ends when the clock is set, and when nothing was received for long', () => {
  const mended = setting(-HOUR_MS);
  for (let device = 0; device < 5; device++) mended.report(device, 0);
  assert.ok(mended.doubt.offsetMs()! > 0);
  mended.set(0);
  mended.report(1, 0);
  assert.equal(mended.doubt.offsetMs(), null);
  const silent = setting(-HOUR_MS);
  for (let device = 0; device < 5; device++) silent.report(device, 0);
  assert.ok(silent.doubt.offsetMs()! > 0);
  silent.pass(20 * MINUTE_MS);
  assert.equal(silent.doubt.offsetMs(), null);
});
