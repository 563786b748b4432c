import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../../calls.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../../testing/people.ts';
import { relayStaged } from '../../../testing/relay-staged.ts';
import { DEFAULT_POLICY } from '../../delivery/sending-policy.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { maintenanceOperations } from '../../vehicles/maintenance-operations.ts';
import { evaluateMaintenance } from './maintenance.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as clients see them.
type Answer = any;

const HOUR = 3_600_000;
const DAY = 86_400_000;

onEitherEngine<Tables>('maintenance', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van 3' });
    const operations = maintenanceOperations(store);
    const create = (body: object, now = NOW, id = deviceId): Promise<Answer> =>
      operations.createMaintenanceTask(
        callOf(owner, { deviceId: id, body: { name: 'Oil change', hoursOf: 'driving', ...body }, now }) as never,
      );
    const update = (key: number, body: Record<string, unknown>, now = NOW): Promise<Answer> =>
      operations.updateMaintenanceTask(callOf(owner, { deviceId, key, body, sent: body, now }) as never);
    const complete = (key: number, body: object, now: number): Promise<Answer> =>
      operations.completeMaintenanceTask(callOf(owner, { deviceId, key, body, now }) as never);
    const listed = (now = NOW): Promise<Answer> =>
      operations.listMaintenanceTasks(callOf(owner, { deviceId, now }) as never) as Promise<Answer>;
    const fleet = (who: Caller, now = NOW): Promise<Answer> =>
      operations.listFleetMaintenance(callOf(who, { now }) as never) as Promise<Answer>;
    const records = async (): Promise<Answer> =>
      JSON.parse(((await operations.listMaintenanceRecords(callOf(owner, { deviceId }) as never)) as Answer).text);
    const trip = (start: number, hours: number, km: number, id = deviceId) =>
      store.query
        .insertInto('trips')
        .values({
          ...{ deviceId: id, start, end: start + hours * HOUR, distance: km * 1000, duration: hours * 3600 },
          ...{ idle: 0, maxSpeed: 80, averageSpeed: 40, startLocationLat: 50, startLocationLng: 8 },
          ...{ endLocationLat: 51, endLocationLng: 9, startPointId: 1, endPointId: 2, decidedAt: start },
        })
        .execute();
    const trigger = async (userId = owner.userId) => {
      const { id } = await store.query
        .insertInto('notificationTriggers')
        .values({
          ...{ name: 'Maintenance', type: 'maintenance', muteFor: 0, deviceId, userId },
          ...{ parameters: '{}', delivery: '{"email":true}', lastTriggered: null },
        } as never)
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    };
    const evaluate = async (now: number) =>
      (await evaluateMaintenance(store, DEFAULT_POLICY, now)).flatMap(({ notifications }) =>
        notifications.map(({ params }) => JSON.parse(params).message as string),
      );
    return {
      store,
      owner,
      deviceId,
      operations,
      create,
      update,
      complete,
      listed,
      fleet,
      records,
      trip,
      trigger,
      evaluate,
    };
  }

  test('distance and hours are the sums of the trips since; one that began before counts by its share', async () => {
    const { create, trip, listed } = await setting();
    await create({ everyKm: 100, everyHours: 10, remindKm: 10 });
    await trip(NOW - HOUR, 4, 40);
    await trip(NOW + 5 * HOUR, 1, 45.5);
    await trip(NOW - DAY, 1, 500);
    const [task] = await listed(NOW + DAY);
    assert.deepEqual(
      [task.distanceKm, task.hours, task.dueInKm, task.dueInHours, task.dueInDays, task.status, task.deviceName],
      [75.5, 4, 24.5, 6, null, 'ok', 'Van 3'],
    );
    await trip(NOW + 7 * HOUR, 1, 20);
    assert.equal((await listed(NOW + DAY))[0].status, 'soon');
  });

  test('engine hours are the time with the ignition on, from its start to the last report', async () => {
    const { store, create, deviceId, listed } = await setting();
    await create({ everyHours: 100, hoursOf: 'engine' });
    assert.equal((await listed())[0].hours, null);
    const on = (at: number, isOn: number) =>
      store.query.insertInto('ignitionChanges').values({ deviceId, at, isOn }).execute();
    await on(NOW - 5 * HOUR, 0);
    await on(NOW - HOUR, 1);
    await on(NOW + 2 * HOUR, 0);
    await on(NOW + 5 * HOUR, 1);
    await store.query
      .updateTable('deviceStates')
      .set({ reportedAt: NOW + 6 * HOUR })
      .execute();
    assert.equal((await listed(NOW + DAY))[0].hours, 3);
  });

  test('it reminds once, and once more when it is due, with late data and with several processes', async () => {
    const { store, create, trip, trigger, evaluate } = await setting();
    await trigger();
    await create({ everyKm: 100, remindKm: 20 });
    assert.deepEqual(await evaluate(NOW), []);
    await trip(NOW, 2, 85);
    const both = await Promise.all([evaluate(NOW + 2 * HOUR), evaluate(NOW + 2 * HOUR)]);
    assert.deepEqual(both.flat(), ['Maintenance of Van 3 is due in 15 km: Oil change']);
    // A replay takes the trip back and finds it again.
    await store.query.deleteFrom('trips').execute();
    assert.deepEqual(await evaluate(NOW + 4 * HOUR), []);
    await trip(NOW, 2, 90);
    assert.deepEqual(await evaluate(NOW + 6 * HOUR), []);
    await trip(NOW + 3 * HOUR, 1, 30);
    assert.deepEqual(await evaluate(NOW + 8 * HOUR), ['Maintenance of Van 3 is due: Oil change']);
    await store.query.deleteFrom('trips').where('start', '>', NOW).execute();
    assert.deepEqual(await evaluate(NOW + 10 * HOUR), [], 'nor that it is due soon, once it was due');
    await relayStaged(store);
    const mails = await store.query.selectFrom('outbox').select('address').execute();
    assert.deepEqual(
      mails.map(({ address }) => address),
      ['owner@example.com', 'owner@example.com'],
    );
  });

  test('what was done is noted, counts anew, and reminds anew', async () => {
    const { owner, create, complete, trip, trigger, evaluate, records } = await setting();
    await trigger();
    const { id } = await create({ everyKm: 100, everyMonths: 6 });
    await trip(NOW, 2, 120);
    assert.equal((await evaluate(NOW + 3 * HOUR)).length, 1);
    const done = await complete(id, { doneAt: NOW + HOUR, odometer: 84_200, note: 'Garage' }, NOW + DAY);
    // The second hour of the trip counts already.
    assert.deepEqual(
      [done.since, done.odometer, done.distanceKm, done.status, done.dueOn],
      [new Date(NOW + HOUR).toISOString(), 84_200, 60, 'ok', '2026-12-01T13:00:00.000Z'],
    );
    const [record] = await records();
    assert.deepEqual(
      [record.taskId, record.name, record.distanceKm, record.hours, record.note, record.odometer, record.userId],
      [id, 'Oil change', 60, 1, 'Garage', 84_200, owner.userId],
    );
    assert.deepEqual(await evaluate(NOW + 2 * DAY), []);
    await trip(NOW + DAY, 1, 40);
    assert.deepEqual(await evaluate(NOW + 3 * DAY), ['Maintenance of Van 3 is due: Oil change']);
    await assert.rejects(complete(id, { doneAt: NOW }, NOW + 3 * DAY), /earlier/);
    await assert.rejects(complete(id, { doneAt: NOW + 9 * DAY }, NOW + 3 * DAY), /future/);
  });

  test('a task by date alone is done once; one by months follows them', async () => {
    const { create, update, complete } = await setting();
    const once = await create({ dueOn: NOW + 2 * DAY });
    assert.deepEqual([once.status, once.dueInDays], ['ok', 2]);
    assert.equal((await complete(once.id, {}, NOW + DAY)).status, 'done');
    const yearly = await create({ everyMonths: 12 });
    assert.equal(yearly.dueOn, '2027-06-01T12:00:00.000Z');
    assert.equal((await update(yearly.id, { everyMonths: 1 })).dueOn, '2026-07-01T12:00:00.000Z');
    const both = await update(yearly.id, { everyMonths: null, everyKm: 10 });
    assert.deepEqual([both.dueOn, both.everyKm], [null, 10]);
    await assert.rejects(update(yearly.id, { everyKm: null }), /everyKm/);
    await assert.rejects(create({}), /everyKm/);
    await assert.rejects(create({ everyKm: 5, since: new Date(NOW + DAY).toISOString() }), /future/);
  });

  test('the fleet shows what is due first, of the devices that the user may see', async () => {
    const { store, owner, create, trip, fleet } = await setting();
    const [friend, stranger] = [
      await makeUser(store, 'friend@example.com'),
      await makeUser(store, 'stranger@example.com'),
    ];
    const car = await makeDevice(store, owner.userId, { name: 'Car' });
    await shareWith(store, car, friend.userId, 'view');
    await create({ everyKm: 100 });
    await create({ name: 'Tyres', everyKm: 50 }, NOW, car);
    await trip(NOW, 1, 60, car);
    const names = (tasks: Answer[]) => tasks.map(({ name, deviceName, status }) => [name, deviceName, status]);
    assert.deepEqual(names(await fleet(owner, NOW + DAY)), [
      ['Tyres', 'Car', 'due'],
      ['Oil change', 'Van 3', 'ok'],
    ]);
    assert.deepEqual(names(await fleet(friend)), [['Tyres', 'Car', 'due']]);
    assert.deepEqual(await fleet(stranger), []);
    const limited = { ...owner, scope: { access: 'read', deviceIds: [car] } } as const;
    assert.deepEqual(names(await fleet(limited)), [['Tyres', 'Car', 'due']]);
  });

  test('a user who may not manage the device any more is not notified', async () => {
    const { store, deviceId, create, trigger, trip, evaluate } = await setting();
    const manager = await makeUser(store, 'manager@example.com');
    await shareWith(store, deviceId, manager.userId, 'manage');
    await trigger(manager.userId);
    await store.query.deleteFrom('shares').execute();
    await create({ everyKm: 1 });
    await trip(NOW, 1, 2);
    assert.deepEqual(await evaluate(NOW + DAY), []);
  });
});
