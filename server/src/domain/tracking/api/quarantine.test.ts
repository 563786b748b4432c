import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../platform/log.ts';
import type { Report } from '../../../reports.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { eventually } from '../../../testing/eventually.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { startEngine } from '../engine.ts';
import { forgetQuarantined } from '../release.ts';
import { quarantineOperations } from './quarantine.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const AHEAD = 'more than 5 minutes ahead of the server';
const IN_DOUBT = `${AHEAD}, whose clock is in doubt`;

onEitherEngine<Tables>('the quarantine', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const admin = await makeUser(store, 'admin@example.com', true);
    const deviceIds: number[] = [];
    for (let n = 0; n < 4; n++) deviceIds.push(await makeDevice(store, admin.userId));
    // The server's clock, which a test sets; what passes evenly is its own.
    const clock = { now: NOW, steady: 0 };
    const engine = await startEngine(store, {
      windowMs: 30 * DAY_MS,
      log: createLog('silent'),
      now: () => clock.now,
      monotonic: () => clock.steady,
    });
    const operations = quarantineOperations(store, engine);
    const report = (deviceId: number, ...at: number[]) => {
      const points = at.map((timestamp) => ({ timestamp, location: { lat: 50, lng: 8 } }));
      const said: Report = { points, readings: [], gatewayReadings: [], messages: [] };
      return engine.intake.store(deviceId, said, clock.now);
    };
    const points = () => store.query.selectFrom('points').select(['deviceId', 'timestamp']).execute();
    const waiting = () => store.query.selectFrom('quarantine').selectAll().execute();
    const call = <Body>(body: Body, more = {}) => callOf<Body>(admin, { body, now: clock.now, ...more });
    return { store, clock, engine, operations, deviceIds, report, points, waiting, call };
  }

  test('is listed by cause, released by cause once it can be true, stored once, and is no report of the device', async () => {
    const { store, clock, engine, operations, deviceIds, report, points, waiting, call } = await setting();
    const [first, second] = deviceIds as [number, number];
    await report(first, NOW, NOW + HOUR_MS, NOW + DAY_MS);
    await report(second, NOW + HOUR_MS, Date.UTC(1999, 0, 1));
    const states = await store.query.selectFrom('deviceStates').select(['deviceId', 'reportedAt']).execute();
    const causes = await operations.summarizeQuarantine(call(undefined));
    assert.deepEqual(
      (causes as { reason: string; count: number; devices: number }[]).map(({ reason, count, devices }) => [
        reason,
        count,
        devices,
      ]),
      [
        [AHEAD, 3, 2],
        ['before the year 2000', 1, 1],
      ],
    );
    const nothing = await operations.releaseQuarantine(call({ reason: AHEAD }) as never);
    assert.deepEqual(nothing, { released: 0, duplicates: 0, refused: 3, hasMore: false });
    clock.now += 2 * HOUR_MS;
    // What the device has sent again meanwhile is there already.
    await report(second, NOW + HOUR_MS);
    const released = await operations.releaseQuarantine(call({ reason: AHEAD }) as never);
    assert.deepEqual(released, { released: 1, duplicates: 1, refused: 1, hasMore: false });
    assert.equal((await waiting()).length, 2);
    assert.deepEqual(
      (await points()).map(({ timestamp }) => timestamp - NOW).sort((a, b) => a - b),
      [0, HOUR_MS, HOUR_MS],
    );
    const after = await store.query
      .selectFrom('deviceStates')
      .select(['deviceId', 'reportedAt'])
      .where('deviceId', '=', first)
      .execute();
    assert.deepEqual(
      after,
      states.filter(({ deviceId }) => deviceId === first),
    );
    const trail = await store.query.selectFrom('auditEntries').select(['action', 'detail']).execute();
    assert.equal(trail.length, 1);
    assert.equal(trail[0]!.action, 'quarantine.released');
    await engine.stop();
  });

  test('of one device is released or discarded by its managers, item by item or all', async () => {
    const { clock, engine, operations, deviceIds, report, points, waiting, call } = await setting();
    const [first, second] = deviceIds as [number, number];
    await report(first, NOW + HOUR_MS, NOW + HOUR_MS + 1, NOW + HOUR_MS + 2);
    await report(second, NOW + HOUR_MS);
    clock.now += 2 * HOUR_MS;
    const [one] = await waiting();
    const of = (deviceId: number, body: object) => call(body, { deviceId });
    assert.equal(
      ((await operations.releaseDeviceQuarantine(of(second, { id: one!.id }) as never)) as { released: number })
        .released,
      0,
    );
    assert.equal(
      ((await operations.releaseDeviceQuarantine(of(first, { id: one!.id }) as never)) as { released: number })
        .released,
      1,
    );
    assert.equal((await points()).length, 1);
    const gone = await operations.discardDeviceQuarantine(of(first, {}) as never);
    assert.deepEqual(gone, { discarded: 2, hasMore: false });
    assert.deepEqual(
      (await waiting()).map(({ deviceId }) => deviceId),
      [second],
    );
    await engine.stop();
  });

  test('says that the clock is in doubt where most devices disagree with it, and is released when it is mended', async () => {
    const { store, clock, engine, deviceIds, report, points, waiting } = await setting();
    // An hour slow.
    const real = () => clock.now + HOUR_MS;
    for (const deviceId of deviceIds) await report(deviceId, real());
    clock.steady += 2000;
    assert.ok(Math.abs(engine.clockOffsetMs()! - HOUR_MS) < MINUTE_MS);
    const reported = await report(deviceIds[0]!, real() + 1000);
    assert.equal(reported?.quarantined[0]?.reason, IN_DOUBT);
    assert.ok((await waiting()).length > 0);
    clock.now = real();
    clock.steady += 2000;
    for (const deviceId of deviceIds) await report(deviceId, clock.now);
    await eventually(
      'what was quarantined for the clock is taken in',
      async () => {
        clock.steady += 61_000;
        clock.now += 61_000;
        return (await waiting()).filter(({ reason }) => reason === IN_DOUBT).length;
      },
      (left) => left === 0,
    );
    assert.equal(engine.clockOffsetMs(), null);
    assert.ok((await points()).length >= deviceIds.length + 1);
    await engine.stop();
    await forgetQuarantined(store, clock.now + DAY_MS);
    assert.deepEqual(await waiting(), []);
  });
});
