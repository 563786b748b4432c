import {
  type maintenanceOperations as contract,
  MOST_TASKS,
  maintenanceRecord,
  maintenanceTask,
  type ShownTask,
} from '@trackway/contract/resources/fleet-tools/maintenance.ts';
import type { Handlers } from '../../calls.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import { visibleTo, withinToken } from '../devices/access.ts';
import { children, familyOf, listOf, ownerOf, refuseMoved, removeOf, rowOf, unlessBusy } from '../family.ts';
import { countRows } from '../rows.ts';
import { lockDevices } from '../schema/lock-device.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { byUrgency, dueOf, goneSince, maintenanceOccasion, monthsAfter } from './maintenance-due.ts';
import { fleetTasks, shownTask, type TaskOfDevice } from './read-tasks.ts';

const CONTEXT = 'maintenanceTask';
/** Fields that determine when it is due; a change causes new notifications. */
const DECIDING = ['everyKm', 'everyHours', 'hoursOf', 'everyMonths', 'dueOn', 'since'] as const;
const REMINDING = ['remindKm', 'remindHours', 'remindDays'] as const;

/** Recurring maintenance: the tasks of a device, their history, and the next tasks of a fleet. */
export function maintenanceOperations(store: Store): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'maintenanceTasks', maintenanceTask);
  const family = familyOf(CONTEXT, rows, ({ deviceId }) => children('deviceId', deviceId));
  const records = collectionOf(store, 'maintenanceRecords', maintenanceRecord);
  const done = familyOf('maintenanceRecord', records, ({ deviceId }) => children('deviceId', deviceId));
  const goneOf = goneSince(store);
  const tasksOfFleet = store.readWork(fleetTasks);

  const tasksOf = (deviceId: number) =>
    store.query
      .selectFrom('maintenanceTasks as t')
      .innerJoin('devices as d', 'd.id', 't.deviceId')
      .selectAll('t')
      .select('d.name as deviceName')
      .where('t.deviceId', '=', deviceId)
      .orderBy('t.id');
  const shown = async (task: TaskOfDevice, now: number) =>
    shownTask(task, dueOf(task, await goneOf(task.deviceId, task.since), now));
  async function shownById(deviceId: number, key: number, now: number): Promise<ShownTask> {
    const task = await tasksOf(deviceId).where('t.id', '=', key).executeTakeFirst();
    if (task === undefined) throw childNotFound(CONTEXT, key);
    return shown(task, now);
  }

  return {
    async listMaintenanceTasks({ deviceId, now }) {
      const all: ShownTask[] = [];
      for (const task of await tasksOf(deviceId).limit(MOST_TASKS).execute()) all.push(await shown(task, now));
      return all.sort(byUrgency);
    },

    getMaintenanceTask: ({ deviceId, key, now }) => shownById(deviceId, key, now),

    async createMaintenanceTask({ deviceId, body, now }) {
      const since = timeOf(body.since) ?? now;
      requireSound({ ...body }, since, now);
      const dueOn = timeOf(body.dueOn) ?? (body.everyMonths ? monthsAfter(since, body.everyMonths) : null);
      const { id } = await store.transaction(async (tx) => {
        await requireRoom(tx, deviceId);
        return rows.insert({ ...body, deviceId, since, dueOn, created: now }, tx);
      });
      return shownById(deviceId, Number(id), now);
    },

    async updateMaintenanceTask(call) {
      const { deviceId, key, body, now } = call;
      const before = await rowOf(family, call);
      refuseMoved(call.sent, { id: key, deviceId });
      const since = timeOf(body.since) ?? (before.since as number);
      requireSound({ ...before, ...body }, since, now);
      const months = body.everyMonths === undefined ? (before.everyMonths as number | null) : body.everyMonths;
      // A given date stays; one that was derived from the months is derived again.
      const isMoved = body.since !== undefined || body.everyMonths !== undefined;
      const follows = body.dueOn === null || (body.dueOn === undefined && isMoved);
      const values = {
        ...body,
        ...(body.since === null && { since: before.since }),
        ...(follows && months && { dueOn: monthsAfter(since, months) }),
        ...(body.everyMonths === null && body.dueOn === undefined && { dueOn: null }),
      };
      await store.transaction(async (tx) => {
        const row = await rows.update(key, values, tx, { deviceId });
        if (row === undefined) throw childNotFound(CONTEXT, key);
        const isDifferent = (name: string) => row[name] !== before[name];
        const round = Number(row.round) + (DECIDING.some(isDifferent) ? 1 : 0);
        if (round !== row.round || REMINDING.some(isDifferent)) await countAnew(tx, key, round);
      });
      return shownById(deviceId, key, now);
    },

    deleteMaintenanceTask: (call) => removeOf(family, call),

    async completeMaintenanceTask(call) {
      const { deviceId, key, body, caller, now } = call;
      const doneAt = timeOf(body.doneAt) ?? now;
      if (doneAt > now) throw invalidField('doneTask', 'doneAt', 'future', 'must not be in the future');
      await rowOf(family, call);
      await store.transaction(async (tx) => {
        // Concurrent records of the same task wait for this row.
        const task = await tx
          .updateTable('maintenanceTasks')
          .set({ id: key })
          .where('id', '=', key)
          .where('deviceId', '=', deviceId)
          .returningAll()
          .executeTakeFirst();
        if (task === undefined) throw childNotFound(CONTEXT, key);
        if (doneAt < task.since)
          throw invalidField('doneTask', 'doneAt', 'range', 'must not be earlier than it was done before');
        const [all, after] = [await goneOf(deviceId, task.since), await goneOf(deviceId, doneAt)];
        const passed = {
          distanceM: all.distanceM - after.distanceM,
          drivingMs: all.drivingMs - after.drivingMs,
          engineMs: all.engineMs === null ? null : all.engineMs - (after.engineMs ?? 0),
        };
        const { distanceKm, hours } = dueOf(task, passed, doneAt);
        await tx
          .insertInto('maintenanceRecords')
          .values({
            deviceId,
            taskId: key,
            userId: caller.userId,
            name: task.name,
            doneAt,
            odometer: body.odometer ?? null,
            distanceKm,
            hours,
            note: body.note ?? null,
            created: now,
          })
          .execute();
        const dueOn = task.everyMonths === null ? null : monthsAfter(doneAt, task.everyMonths);
        await tx
          .updateTable('maintenanceTasks')
          .set({ since: doneAt, odometer: body.odometer ?? null, dueOn })
          .where('id', '=', key)
          .execute();
        await countAnew(tx, key, task.round + 1);
      });
      return shownById(deviceId, key, now);
    },

    listMaintenanceRecords: (call) => listOf(done, call),

    listFleetMaintenance(call) {
      const { caller, userId, now } = call;
      const scope = withinToken(caller, visibleTo(userId));
      return unlessBusy('reports', tasksOfFleet({ scope, now }, ownerOf(call)));
    },
  };
}

/** Schedules a check; notifications are sent again if the round is another. */
async function countAnew(tx: Tx, taskId: number, round: number): Promise<void> {
  await tx.updateTable('maintenanceTasks').set({ round, checkAt: 0 }).where('id', '=', taskId).execute();
  await tx
    .deleteFrom('firedOccasions')
    .where('taskId', '=', taskId)
    .where('occasion', '<', maintenanceOccasion(round, 'soon'))
    .execute();
}

const timeOf = (time: string | null | undefined) => (time == null ? undefined : new Date(time).getTime());

function requireSound(task: Row | Readonly<Record<string, unknown>>, since: number, now: number): void {
  if (['everyKm', 'everyHours', 'everyMonths', 'dueOn'].every((name) => task[name] == null))
    throw invalidField(CONTEXT, 'everyKm', 'presence', 'is required, or everyHours, everyMonths or dueOn');
  if (since > now) throw invalidField(CONTEXT, 'since', 'future', 'must not be in the future');
}

async function requireRoom(tx: Tx, deviceId: number): Promise<void> {
  // Locking the device's row serializes calls for one device, on either engine.
  await lockDevices(tx, [deviceId]);
  const count = await countRows(tx.selectFrom('maintenanceTasks').where('deviceId', '=', deviceId));
  if (count >= MOST_TASKS)
    throw invalidField(CONTEXT, 'deviceId', 'tooMany', `has ${MOST_TASKS} tasks already: delete one first`);
}
