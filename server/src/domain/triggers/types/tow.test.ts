import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onEitherEngine } from '../../../testing/databases.ts';
import { evaluateAll, firedIn, fixAt, readingAt, rulesOf, triggerRule } from '../../../testing/evaluated-inputs.ts';
import { at, watchedDevice } from '../../../testing/watched-device.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Tables } from '../../schema/tables.ts';
import { type Input, inOrder } from '../../tracking/evaluate/inputs.ts';
import { Pipeline } from '../../tracking/pipeline.ts';
import { replay } from '../../tracking/replay/replay.ts';
import { RulesCache } from '../../tracking/state/rules-cache.ts';

const fired = (inputs: readonly Input[], parameters = {}) =>
  firedIn(evaluateAll(inputs.toSorted(inOrder), rulesOf([], [triggerRule('tow', parameters)])).effects);

const off = (minute: number) => readingAt(minute, 'ignition', false);
const on = (minute: number) => readingAt(minute, 'ignition', true);
const parked = [fixAt(0, 0, { speedKmh: 0 }), off(0), fixAt(10, 3, { speedKmh: 0 })];

test('it fires once for each time that the ignition is off', () => {
  const pulled = [fixAt(20, 60, { speedKmh: 20 }), fixAt(21, 300, { speedKmh: 20 }), fixAt(22, 700, { speedKmh: 20 })];
  assert.deepEqual(fired([...parked, ...pulled, off(23), fixAt(24, 5000)]), ['tow 21']);
  const again = [on(30), fixAt(31, 900, { speedKmh: 30 }), off(40), fixAt(40, 2000, { speedKmh: 0 })];
  const towedAgain = [...again, fixAt(41, 2300, { speedKmh: 20 })];
  assert.deepEqual(fired([...parked, ...pulled, ...towedAgain]), ['tow 21', 'tow 41']);
});

test('how far is a parameter, 100 m by default', () => {
  const moved = [...parked, fixAt(20, 90, { speedKmh: 10 })];
  assert.deepEqual(fired(moved), []);
  assert.deepEqual(fired(moved, { meters: 50 }), ['tow 20']);
});

test('a position that could be wrong does not fire', () => {
  const wide = fixAt(20, 400, { accuracyM: 320, speedKmh: 8 });
  assert.deepEqual(fired([...parked, wide]), [], 'the distance may be all error');
  const outlier = fixAt(20, 400, { speedKmh: 0 });
  assert.deepEqual(fired([...parked, outlier, fixAt(21, 2, { speedKmh: 0 })]), [], 'the next fix has it back');
  assert.deepEqual(fired([...parked, outlier, fixAt(25, 410, { speedKmh: 0 })]), ['tow 20'], 'the next fix agrees');
});

test('an imprecise first place is replaced by a better one', () => {
  const imprecise = [fixAt(0, 300, { accuracyM: 1000 }), off(0), fixAt(10, 0)];
  assert.deepEqual(fired([...imprecise, fixAt(20, 250, { speedKmh: 20 })]), ['tow 20']);
});

test('a drive before the ignition went off is none of its business', () => {
  const driven = [on(0), fixAt(1, 0, { speedKmh: 50 }), off(5), fixAt(6, 3000, { speedKmh: 0 })];
  assert.deepEqual(fired([...driven, fixAt(7, 3003, { speedKmh: 0 })]), []);
});

test('bit 32 is the ignition of a device that sends no readings of it', () => {
  const driven = [fixAt(0, 0, { alerts: 32, speedKmh: 30 }), fixAt(5, 2000, { alerts: 32, speedKmh: 30 })];
  const stopped = [fixAt(6, 2400, { speedKmh: 0 }), fixAt(9, 2400, { speedKmh: 0 })];
  const pulled = fixAt(20, 2900, { speedKmh: 20 });
  assert.deepEqual(fired([...driven, ...stopped, pulled]), ['tow 20']);
  assert.deepEqual(fired([...stopped, pulled]), [], 'a device that never set the bit has no ignition');
  assert.deepEqual(fired([on(0), ...driven, ...stopped, pulled]), [], 'its readings say that it is on');
});

test('words and numbers are accepted for the ignition too, and nothing else', () => {
  const pulled = fixAt(20, 400, { speedKmh: 20 });
  for (const value of [false, 0, 'off', 'OFF', 'false'])
    assert.deepEqual(fired([fixAt(0, 0), readingAt(0, 'ignition', value), pulled]), ['tow 20'], String(value));
  for (const value of [null, 'unknown', 2, {}])
    assert.deepEqual(fired([fixAt(0, 0), readingAt(0, 'ignition', value), pulled]), [], String(value));
  for (const value of [true, 1, 'On', 'true'])
    assert.deepEqual(fired([...parked, readingAt(11, 'ignition', value), pulled]), [], String(value));
});

const step = fc.record({
  minute: fc.integer({ min: 1, max: 600 }),
  metres: fc.integer({ min: -20_000, max: 20_000 }),
  speedKmh: fc.option(fc.integer({ min: 0, max: 120 }), { nil: undefined }),
});
const fixOf = ({ minute, metres, speedKmh }: { minute: number; metres: number; speedKmh?: number }) =>
  fixAt(minute, metres, { speedKmh });

test('with the ignition on, or unknown, it never fires', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isNotified) => {
      const reported = isNotified ? [on(0), ...steps.map(({ minute }) => on(minute))] : [readingAt(0, 'temp', 0)];
      assert.deepEqual(fired([...reported, ...steps.map(fixOf)]), []);
    }),
  );
});

test('a parked vehicle never fires, however its fixes scatter within their accuracy', () => {
  const scattered = fc.record({
    accuracyM: fc.integer({ min: 3, max: 200 }),
    share: fc.double({ min: -1, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(scattered, { maxLength: 60 }), (fixes) => {
      const around = fixes.map(({ accuracyM, share }, index) =>
        fixAt(index, accuracyM * share, { accuracyM, speedKmh: 0 }),
      );
      assert.deepEqual(fired([off(0), ...around]), []);
    }),
  );
});

onEitherEngine<Tables>('towing', { migrations: MIGRATIONS }, (open) => {
  test('it is recorded, and retracted when late data says that the ignition was on', async () => {
    const store = await open();
    const deviceId = await watchedDevice(store, { triggers: [{ type: 'tow' }] });
    const rulesCache = new RulesCache(store, Number.MAX_SAFE_INTEGER);
    const windowMs = 30 * 86_400_000;
    const intake = new Pipeline(store, rulesCache, { windowMs, publish: () => {}, lateDataOf: () => {} });
    const report = async (minute: number, ignition: boolean, metres: number, speedKmh: number, receivedAt: number) => {
      const [timestamp, location] = [at(minute), { lat: metres / 111_195, lng: 0 }];
      const points = [{ timestamp, location, accuracyM: 5, speedKmh }];
      const readings = [{ timestamp, type: 'ignition', value: ignition }];
      await intake.store(deviceId, { points, readings, gatewayReadings: [], messages: [] }, at(receivedAt));
      await replay(store, rulesCache, deviceId, () => at(receivedAt));
    };
    const recorded = async () => {
      const rows = await store.query.selectFrom('notifications').select(['params', 'status']).execute();
      return rows.map(({ params, status }) => `${JSON.parse(params).message}, ${status}`);
    };
    await report(1, false, 0, 0, 1);
    await report(20, false, 300, 20, 20);
    const sentence = 'Van is being towed: it moved 300 m with the ignition off';
    assert.deepEqual(await recorded(), [`${sentence}, valid`]);
    await report(15, true, 0, 0, 30);
    assert.deepEqual(await recorded(), [`${sentence}, retracted`]);
  });
});
