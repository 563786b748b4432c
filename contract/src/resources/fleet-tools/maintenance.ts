import { type Static, Type } from 'typebox';
import { list, operation, remove } from '../../operation.ts';
import { id, integer, key, noun, number, text, time } from '../../schema.ts';
import { shownWith } from '../../shown-with.ts';

/** Maximum number of tasks per device, and in the overview of a fleet. */
export const MOST_TASKS = 50;
export const MOST_TASKS_SHOWN = 1000;

export const HOURS_OF = ['driving', 'engine'] as const;
export const TASK_STATUSES = ['ok', 'soon', 'due', 'done'] as const;

export const MOST_KM = 10_000_000;
const MOST_HOURS = 1_000_000;
const MOST_MONTHS = 240;
const MOST_DAYS = 3650;

const distance = (description: string) => number(description, { exclusiveMinimum: 0, maximum: MOST_KM });
const hours = (description: string) => number(description, { exclusiveMinimum: 0, maximum: MOST_HOURS });

/** Recurring maintenance of a device, such as an oil change. */
export const maintenanceTask = noun(
  'maintenanceTask',
  {
    id: id(),
    deviceId: key('Id of the device.', { readOnly: true }),
    name: text('The work to do.', { minLength: 1, maxLength: 200 }),
    note: text('Note about the work.', { maxLength: 2000 }),
    everyKm: distance('Due after this distance, in kilometres.'),
    everyHours: hours('Due after this many hours.'),
    hoursOf: Type.Enum([...HOURS_OF], {
      title: 'counted hours',
      default: 'driving',
      description: 'Which hours count: those on trips, or those with the ignition on.',
    }),
    everyMonths: integer('Due after this many months.', { minimum: 1, maximum: MOST_MONTHS }),
    dueOn: time('When it is due. Follows from `everyMonths` if absent.'),
    remindKm: distance('Remind this many kilometres before.'),
    remindHours: hours('Remind this many hours before.'),
    remindDays: integer('Remind this many days before.', { minimum: 1, maximum: MOST_DAYS }),
    since: time('When it was last done: distance and hours are counted from this time. Defaults to now.'),
    odometer: number('Odometer at that time, in kilometres.', { minimum: 0, maximum: MOST_KM }),
    created: time('When the task was created.', { readOnly: true }),
  },
  { required: ['name'], always: ['deviceId', 'name', 'hoursOf', 'since', 'created'] },
);

const figure = (description: string) => Type.Unsafe<number | null>({ type: ['number', 'null'], description });

/** A task with values derived from the trips of its device. */
const shownTask = shownWith(maintenanceTask, 'shown maintenance task', {
  deviceName: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Name of the device.' }),
  distanceKm: Type.Number({ description: 'Distance of the trips since then, in kilometres.' }),
  hours: figure('Hours since then. Null for engine hours of a device whose ignition is not known.'),
  dueInKm: figure('Kilometres until it is due; negative if overdue. Null if distance does not matter.'),
  dueInHours: figure('Hours until it is due; negative if overdue. Null if hours do not matter.'),
  dueInDays: figure('Days until it is due; negative if overdue. Null if time does not matter.'),
  used: Type.Number({ description: 'Used part of the interval: 0 when it was just done, 1 when it is due.' }),
  status: Type.Enum([...TASK_STATUSES], {
    title: 'maintenance status',
    description: '`soon`: within the reminder range. `done`: a one-time task that is done.',
  }),
});

/** A completed task. */
export const maintenanceRecord = noun(
  'maintenanceRecord',
  {
    id: id(),
    deviceId: key('Id of the device.', { readOnly: true }),
    taskId: key('Id of the task. Null once it was deleted.', { readOnly: true }),
    name: text('What was done.', { readOnly: true }),
    doneAt: time('When it was done.', { readOnly: true }),
    odometer: number('Odometer at that time, in kilometres.', { readOnly: true }),
    distanceKm: number('Distance since it was done before, in kilometres.', { readOnly: true }),
    hours: number('Hours since it was done before.', { readOnly: true }),
    note: text('Note about it.', { readOnly: true }),
    userId: key('Id of the user who recorded it.', { readOnly: true }),
    created: time('When it was recorded.', { readOnly: true }),
  },
  { always: ['deviceId', 'name', 'doneAt', 'distanceKm', 'created'] },
);

const doneTask = noun(
  'doneTask',
  {
    doneAt: time('When it was done. Defaults to now.'),
    odometer: number('Odometer at that time, in kilometres.', { minimum: 0, maximum: MOST_KM }),
    note: text('What was done, who did it, and the cost.', { maxLength: 2000 }),
  },
  { sentAs: 'done maintenance task' },
);

const path = '/devices/{id}/maintenanceTasks';
const DUE =
  'A task is due by distance, hours or date, whichever comes first. Distance and hours are the sums of the trips that have ended. A trigger of type `maintenance` sends reminders.';

export const maintenanceOperations = {
  listMaintenanceTasks: operation('GET', path, 'view', {
    summary: "List a device's maintenance tasks",
    description: `${DUE} The tasks that are due first come first.`,
    answer: Type.Array(shownTask),
  }),
  createMaintenanceTask: operation('POST', path, 'manage', {
    summary: 'Create a maintenance task',
    description: `${DUE} At least one of \`everyKm\`, \`everyHours\`, \`everyMonths\` and \`dueOn\` is required. A device can have at most ${MOST_TASKS} tasks.`,
    body: { noun: maintenanceTask, mode: 'create' },
    answer: shownTask,
  }),
  getMaintenanceTask: operation('GET', `${path}/{fk}`, 'view', {
    summary: 'Get a maintenance task',
    answer: shownTask,
  }),
  updateMaintenanceTask: operation('PUT', `${path}/{fk}`, 'manage', {
    summary: 'Update a maintenance task',
    description: 'Changes only the fields that are sent. `null` clears an optional field.',
    body: { noun: maintenanceTask, mode: 'update' },
    answer: shownTask,
  }),
  deleteMaintenanceTask: remove(maintenanceTask, `${path}/{fk}`, 'manage', {
    description: 'Completed work stays in the history.',
  }),
  completeMaintenanceTask: operation('POST', `${path}/{fk}/done`, 'manage', {
    summary: 'Record that a maintenance task was done',
    description: 'Adds an entry to the history and restarts the interval.',
    body: { noun: doneTask, mode: 'create' },
    answer: shownTask,
  }),
  listMaintenanceRecords: list(maintenanceRecord, '/devices/{id}/maintenanceRecords', 'view', {
    summary: "List what was done for a device's maintenance",
  }),
  listFleetMaintenance: operation('GET', '/users/{id}/maintenanceTasks', 'self', {
    summary: "List the maintenance tasks of a user's devices",
    description: `Tasks of owned and shared devices. The tasks that are due first come first. At most ${MOST_TASKS_SHOWN}.`,
    answer: Type.Array(shownTask),
  }),
};

export type ShownTask = Static<typeof shownTask>;
