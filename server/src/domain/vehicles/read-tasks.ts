import { MOST_TASKS_SHOWN, type ShownTask } from '@trackway/contract/resources/fleet-tools/maintenance.ts';
import type { Selectable } from 'kysely';
import type { Scope } from '../../platform/collection.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import type { MaintenanceTaskRow } from '../schema/rows/fleet-tool-rows.ts';
import type { Tables } from '../schema/tables.ts';
import { byUrgency, dueOf, goneSince } from './maintenance-due.ts';

export type TaskOfDevice = Selectable<MaintenanceTaskRow> & { readonly deviceName: string | null };

interface TasksWanted {
  /** The selected devices, as `d`. */
  readonly scope: Scope;
  readonly now: number;
}

/** The tasks of a fleet's devices with their due times, on a separate thread. */
export const fleetTasks = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, { scope, now }: TasksWanted): Promise<ShownTask[]> => {
    const sql = `SELECT t.*, d."name" AS "deviceName" FROM "maintenanceTasks" t JOIN "devices" d ON d."id" = t."deviceId"
      WHERE t."deviceId" IN (SELECT "id" FROM "devices" WHERE ${scope.sql}) ORDER BY t."id" LIMIT ${MOST_TASKS_SHOWN}`;
    // The SQL text depends on the limits of a token.
    const tasks = await workplace
      .prepare<TaskOfDevice>(`maintenance.fleet.${fingerprint(sql)}`, sql)
      .all(...scope.cells);
    const shown: ShownTask[] = [];
    const goneOf = goneSince(workplace);
    for (const task of tasks) shown.push(shownTask(task, dueOf(task, await goneOf(task.deviceId, task.since), now)));
    return shown.sort(byUrgency);
  },
);

const iso = (at: number) => new Date(at).toISOString();
const rounded = (value: number) => Math.round(value * 1000) / 1000;
const roundedOrNull = (value: number | null) => (value === null ? null : rounded(value));

/** A task in the API format. */
export function shownTask(task: TaskOfDevice, due: ReturnType<typeof dueOf>): ShownTask {
  return {
    id: task.id,
    deviceId: task.deviceId,
    name: task.name,
    note: task.note,
    everyKm: task.everyKm,
    everyHours: task.everyHours,
    hoursOf: task.hoursOf,
    everyMonths: task.everyMonths,
    dueOn: task.dueOn === null ? null : iso(task.dueOn),
    remindKm: task.remindKm,
    remindHours: task.remindHours,
    remindDays: task.remindDays,
    since: iso(task.since),
    odometer: task.odometer,
    created: iso(task.created),
    deviceName: task.deviceName,
    distanceKm: rounded(due.distanceKm),
    hours: roundedOrNull(due.hours),
    dueInKm: roundedOrNull(due.dueInKm),
    dueInHours: roundedOrNull(due.dueInHours),
    dueInDays: roundedOrNull(due.dueInDays),
    used: rounded(due.used),
    status: due.status,
  };
}
