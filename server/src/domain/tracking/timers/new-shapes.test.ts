import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type Caller, JsonText } from '../../../calls.ts';
import type { Log } from '../../../platform/log.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { deviceAccess } from '../../devices/access.ts';
import { geofenceOperations } from '../../geofences/operations.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { triggerOperations } from '../../triggers/operations.ts';
import { insideOperations } from '../api/fleet.ts';
import { startEngine } from '../engine.ts';

type Inside = AnswerOf<'listDevicesInside'>;
type Fence = AnswerOf<'getGeofence'>;

const MINUTE_MS = 60_000;
const at = (minute: number) => NOW + minute * MINUTE_MS;
const iso = (minute: number) => new Date(at(minute)).toISOString();
const DEPOT = { name: 'Depot', center: { lat: 0, lng: 0 }, radius: 100 };

onEitherEngine<Tables>('a fence that is drawn where devices stand', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const clock = { minute: 0 };
    const failures: unknown[] = [];
    const engine = await startEngine(store, {
      windowMs: 30 * 86_400_000,
      log: { error: (failure: unknown) => failures.push(failure) } as unknown as Log,
      now: () => at(clock.minute),
    });
    const access = deviceAccess(store);
    const fences = geofenceOperations(store, access, engine.fenceShaped);
    const report = (deviceId: number, minute: number, metres: number) => {
      clock.minute = Math.max(clock.minute, minute);
      const points = [{ timestamp: at(minute), location: { lat: metres / 111_195, lng: 0 }, accuracyM: 5 }];
      return engine.intake.store(
        deviceId,
        { points, readings: [], gatewayReadings: [], messages: [] },
        at(clock.minute),
      );
    };
    const draw = (minute: number, more: Record<string, unknown> = {}) => {
      clock.minute = minute;
      return fences.createGeofence(
        callOf(owner, { body: { ...DEPOT, ...more }, now: at(minute) }) as never,
      ) as Promise<Fence>;
    };
    const redraw = (minute: number, key: number, body: Record<string, unknown>) => {
      clock.minute = minute;
      return fences.updateGeofence(callOf(owner, { key, body, now: at(minute) }) as never) as Promise<Fence>;
    };
    const inside = async (key: number, user: Caller = owner) => {
      const answer = await insideOperations(store).listDevicesInside(callOf(user, { key }));
      const list: Inside = answer instanceof JsonText ? JSON.parse(answer.text) : answer;
      return list.map(({ deviceId, since }) => [deviceId, since]);
    };
    const watch = (deviceId: number) =>
      triggerOperations(store, access, () => undefined).createNotificationTrigger(
        callOf(owner, {
          deviceId,
          body: { type: 'geofence', parameters: {}, delivery: {}, muteFor: 0 },
          now: at(-60),
        }) as never,
      );
    const notified = async () =>
      (await store.query.selectFrom('notifications').select(['deviceId', 'kind', 'status']).execute()).map(
        ({ deviceId, kind, status }) => [deviceId, kind, status],
      );
    const stop = async () => {
      await engine.stop();
      assert.deepEqual(failures, []);
    };
    return { store, owner, engine, report, draw, redraw, inside, watch, notified, stop };
  }

  test('has them inside at once, without a notification, and notices when they leave', async () => {
    const { store, owner, report, draw, inside, watch, notified, stop } = await setting();
    const [van, bike, unheard] = [
      await makeDevice(store, owner.userId, { name: 'Van' }),
      await makeDevice(store, owner.userId, { name: 'Bike' }),
      await makeDevice(store, owner.userId, { name: 'Unheard' }),
    ];
    for (const id of [van, bike, unheard]) await watch(id);
    await report(van, 1, 0);
    await report(bike, 1, 5000);
    const { id: depot } = await draw(10);
    assert.deepEqual(await inside(depot), [[van, iso(10)]]);
    await report(van, 11, 2);
    assert.deepEqual(await inside(depot), [[van, iso(10)]]);
    assert.deepEqual(await notified(), []);
    await report(van, 20, 5000);
    await report(van, 21, 5100);
    assert.deepEqual(await inside(depot), []);
    assert.deepEqual(await notified(), [[van, 'exit', 'valid']]);
    await stop();
  });

  test('shows for a fence of one device that it is inside, and after another shape that it is not', async () => {
    const { store, owner, report, draw, redraw, inside, stop } = await setting();
    const van = await makeDevice(store, owner.userId);
    const bike = await makeDevice(store, owner.userId);
    for (const id of [van, bike]) await report(id, 1, 0);
    const drawn = await draw(10, { deviceId: van });
    assert.deepEqual([drawn.wasInside, drawn.lastChecked], [true, iso(10)]);
    assert.deepEqual(await inside(drawn.id), [[van, iso(10)]]);
    assert.equal((await redraw(11, drawn.id, { name: 'Renamed' })).wasInside, true);
    const moved = await redraw(12, drawn.id, { center: { lat: 1, lng: 1 } });
    assert.deepEqual([moved.wasInside, await inside(drawn.id)], [false, []]);
    const back = await redraw(13, drawn.id, { center: { lat: 0, lng: 0 } });
    assert.deepEqual([back.wasInside, await inside(drawn.id)], [true, [[van, iso(13)]]]);
    await stop();
  });

  test('applies to devices shared with its user, and to no others', async () => {
    const { store, owner, report, draw, inside, stop } = await setting();
    const other = await makeUser(store, 'other@example.com');
    const shared = await makeDevice(store, other.userId);
    const foreign = await makeDevice(store, other.userId);
    const share = { deviceId: shared, userId: owner.userId, rights: 'view', created: NOW };
    await store.query
      .insertInto('shares')
      .values(share as never)
      .execute();
    for (const id of [shared, foreign]) await report(id, 1, 0);
    const { id: depot } = await draw(10);
    assert.deepEqual(await inside(depot), [[shared, iso(10)]]);
    await stop();
  });

  test('evaluates late data as if it had come before', async () => {
    const { store, owner, engine, report, draw, inside, watch, notified, stop } = await setting();
    const [gone, came] = [await makeDevice(store, owner.userId), await makeDevice(store, owner.userId)];
    for (const id of [gone, came]) await watch(id);
    await report(gone, 1, 0);
    await report(came, 1, 5000);
    const { id: depot } = await draw(10);
    assert.deepEqual(await inside(depot), [[gone, iso(10)]]);
    // Each had moved before the fence was drawn, and had no network.
    for (const minute of [7, 8, 9]) {
      await report(gone, minute, 5000);
      await report(came, minute, 0);
    }
    await engine.idle();
    for (const id of [gone, came]) await report(id, 12, id === gone ? 5000 : 0);
    await engine.idle();
    assert.deepEqual(await inside(depot), [[came, iso(10)]]);
    assert.deepEqual(await notified(), []);
    await stop();
  });

  test('has a device inside that reported in the same moment, and after the fence was drawn', async () => {
    const { store, owner, engine, report, draw, inside, stop } = await setting();
    const [same, ahead] = [await makeDevice(store, owner.userId), await makeDevice(store, owner.userId)];
    await report(same, 1, 0);
    await report(ahead, 1, 0);
    await report(same, 10, 0);
    // The clock of a device may be some minutes ahead.
    await report(ahead, 12, 0);
    const { id: depot } = await draw(10);
    await engine.idle();
    assert.deepEqual((await inside(depot)).map(([id]) => id).sort(), [same, ahead].sort());
    await stop();
  });

  test('checks all devices of a user with very many', async () => {
    const { store, owner, engine, report, draw, inside, stop } = await setting();
    const ids: number[] = [];
    for (let index = 0; index < 450; index++) ids.push(await makeDevice(store, owner.userId));
    await Promise.all(ids.map((id, index) => report(id, 1, index % 2 === 0 ? 0 : 5000)));
    const drawn = await Promise.all([draw(10), draw(10, { name: 'Second' }), draw(10, { name: 'Third' })]);
    await engine.idle();
    for (const { id } of drawn) assert.equal((await inside(id)).length, 225);
    await stop();
  });
});
