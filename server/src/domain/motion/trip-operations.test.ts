import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonText } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';
import { tripRow } from './journeys.ts';
import { tripOperations } from './trip-operations.ts';

const HOUR_MS = 3_600_000;

onEitherEngine<Tables>('trips', { migrations: MIGRATIONS }, (open) => {
  test('many trips are listed and summed as few are', async () => {
    const store = await open();
    const owner = await makeUser(store, 'a@example.com');
    const deviceId = await makeDevice(store, owner.userId);
    const place = { lat: 1, lng: 2 };
    for (let hour = 0; hour < 600; hour++) {
      const start = NOW + hour * HOUR_MS;
      const trip = { start, end: start + HOUR_MS / 2, distanceM: 1000, idleMs: 0, maxSpeedKmh: hour };
      const ends = { startLocation: place, endLocation: place, startPointId: 1, endPointId: 2, decidedAt: start };
      await store.query
        .insertInto('trips')
        .values(tripRow(deviceId, { ...trip, ...ends }) as never)
        .execute();
    }
    const { listTrips, summarizeDays } = tripOperations(store, { isStillSeen: async () => true });
    const within = (fromHour: number, toHour: number) =>
      callOf<undefined, never>(owner, {
        deviceId,
        parameters: {
          from: new Date(NOW + fromHour * HOUR_MS).toISOString(),
          to: new Date(NOW + toHour * HOUR_MS - 1).toISOString(),
          tz: 'Europe/Berlin',
        } as never,
      });
    const listed = async (from: number, to: number) => {
      const answer = await listTrips(within(from, to));
      return answer instanceof JsonText
        ? (JSON.parse(answer.text) as typeof answer.answer)!
        : JSON.parse(JSON.stringify(answer));
    };
    const all = await listed(0, 600);
    assert.equal(all.length, 600);
    assert.deepEqual(all, [...(await listed(0, 300)), ...(await listed(300, 600))]);

    const days = await summarizeDays(within(0, 600));
    const parts = [await summarizeDays(within(0, 260)), await summarizeDays(within(260, 600))].flat() as {
      day: string;
      distance: number;
    }[];
    const sums = new Map<string, number>();
    for (const { day, distance } of parts) sums.set(day, Math.round((sums.get(day) ?? 0) + distance));
    assert.deepEqual(new Map((days as typeof parts).map(({ day, distance }) => [day, Math.round(distance)])), sums);
  });

  test('an unknown time zone is refused, however many trips there are', async () => {
    const store = await open();
    const owner = await makeUser(store, 'a@example.com');
    const deviceId = await makeDevice(store, owner.userId);
    const call = callOf<undefined, never>(owner, { deviceId, parameters: { tz: 'Nowhere/Land' } as never });
    await assert.rejects(tripOperations(store, { isStillSeen: async () => true }).summarizeDays(call), {
      statusCode: 422,
    });
  });
});
