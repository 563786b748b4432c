import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onCitus } from '../../../testing/databases.ts';
import { makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import { PLACEMENTS } from '../../schema/placement.ts';
import type { Tables } from '../../schema/tables.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { Intake } from './intake.ts';

const WINDOW_MS = 30 * 86_400_000;
const DEVICES = 70;
const { place: positions } = PLACEMENTS.positions;
const skip = (positions as string) === 'distributed' ? false : 'positions have no slot yet';

onCitus<Tables>('the path of a fix', { migrations: MIGRATIONS }, (open) => {
  test('a report needs one server, whether it comes alone or with those of other devices', { skip }, async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'owner@example.com');
    const devices: number[] = [];
    while (devices.length < DEVICES) devices.push(await makeDevice(store, userId));
    const intake = new Intake(store, new RulesCache(store, WINDOW_MS), {
      windowMs: WINDOW_MS,
      publish: () => {},
      late: () => {},
    });
    const report = (deviceId: number, minute: number, count: number) => {
      const points = Array.from({ length: count }, (_, index) => ({
        timestamp: NOW + minute * 60_000 + index * 1000,
        location: { lat: 50 + minute / 1000, lng: 8 },
      }));
      return intake.store(deviceId, { points, readings: [], gatewayReadings: [], messages: [] }, NOW + 3_600_000);
    };
    /** Citus writes down every commit of two phases, before it begins the second, and forgets it within some minutes. */
    const twoPhase = async () =>
      (await sql<{ gid: string }>`SELECT "gid" FROM pg_dist_transaction`.execute(store.query)).rows.map(
        ({ gid }) => gid,
      );
    const before = new Set(await twoPhase());
    const requireNone = async () =>
      assert.deepEqual(
        (await twoPhase()).filter((gid) => !before.has(gid)),
        [],
      );
    for (const deviceId of devices) await report(deviceId, 1, 1);
    await requireNone();
    for (const minute of [2, 3]) {
      await Promise.all(devices.map((deviceId) => report(deviceId, minute, 20)));
      await requireNone();
    }
    await intake.stop();
    const { count } = await store.query
      .selectFrom('points')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    assert.equal(count, DEVICES * 41);
  });
});
