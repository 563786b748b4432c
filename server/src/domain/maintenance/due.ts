import type { TASK_STATUSES } from '@trackway/contract/resources/fleet-tools/maintenance.ts';
import type { MaintenanceTaskRow } from '../schema/rows/fleet-tool-rows.ts';
import type { Gone } from './gone.ts';

/** When a task is due, by what its device did since it was last done. Pure. */

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export type TaskStatus = (typeof TASK_STATUSES)[number];
export type Interval = Pick<
  MaintenanceTaskRow,
  'everyKm' | 'everyHours' | 'hoursOf' | 'dueOn' | 'remindKm' | 'remindHours' | 'remindDays' | 'since'
>;

export interface Due {
  readonly distanceKm: number;
  readonly hours: number | null;
  readonly dueInKm: number | null;
  readonly dueInHours: number | null;
  readonly dueInDays: number | null;
  readonly used: number;
  readonly status: TaskStatus;
}

export function dueOf(task: Interval, gone: Gone, now: number): Due {
  const { everyKm, everyHours, dueOn, since } = task;
  const distanceKm = gone.distanceM / 1000;
  const ms = task.hoursOf === 'engine' ? gone.engineMs : gone.drivingMs;
  const hours = ms === null ? null : ms / HOUR_MS;
  const dueInKm = everyKm === null ? null : everyKm - distanceKm;
  const dueInHours = everyHours === null || hours === null ? null : everyHours - hours;
  const dueInDays = dueOn === null ? null : (dueOn - now) / DAY_MS;
  const left = [
    [dueInKm, task.remindKm],
    [dueInHours, task.remindHours],
    [dueInDays, task.remindDays],
  ] as const;
  const isDue = left.some(([rest]) => rest !== null && rest <= 0);
  const isSoon = left.some(([rest, before]) => rest !== null && before !== null && rest <= before);
  const isOpen = everyKm !== null || everyHours !== null || dueOn !== null;
  return {
    distanceKm,
    hours,
    dueInKm,
    dueInHours,
    dueInDays,
    used: Math.max(
      0,
      ...(everyKm === null ? [] : [distanceKm / everyKm]),
      ...(everyHours === null || hours === null ? [] : [hours / everyHours]),
      ...(dueOn === null ? [] : [dueOn > since ? (now - since) / (dueOn - since) : now >= dueOn ? 1 : 0]),
    ),
    status: isDue ? 'due' : isSoon ? 'soon' : isOpen ? 'ok' : 'done',
  };
}

/** How much is left of what makes it due, or due soon: of the way, or of the time. */
export interface TaskRest {
  readonly restKm?: number;
  readonly restS?: number;
}

export function restOf({ status, dueInKm, dueInHours, dueInDays }: Due, task: Interval): TaskRest {
  const isWithin = (rest: number | null, before: number | null): rest is number =>
    rest !== null && rest <= (status === 'due' ? 0 : (before ?? 0));
  if (isWithin(dueInKm, task.remindKm)) return { restKm: dueInKm };
  if (isWithin(dueInHours, task.remindHours)) return { restS: Math.round(dueInHours * 3600) };
  return isWithin(dueInDays, task.remindDays) ? { restS: Math.round(dueInDays * 86_400) } : {};
}

const RANK: Readonly<Record<TaskStatus, number>> = { due: 0, soon: 1, ok: 2, done: 3 };

/** What is due first comes first. */
export const byUrgency = (one: Pick<Due, 'status' | 'used'>, other: Pick<Due, 'status' | 'used'>): number =>
  RANK[one.status] - RANK[other.status] || other.used - one.used;

/** Nothing goes faster over a longer time. */
const MOST_KMH = 150;
const SOONEST_MS = 5 * 60_000;
const LATEST_MS = HOUR_MS;

/** When it must be looked at again: not before it can have come nearer, but for data that comes late. */
export function lookAgainAt({ status, dueInKm, dueInHours, dueInDays }: Due, task: Interval, now: number): number {
  const before = (amount: number | null) => (status === 'ok' ? (amount ?? 0) : 0);
  const waits = [
    ...(dueInKm === null ? [] : [((dueInKm - before(task.remindKm)) / MOST_KMH) * HOUR_MS]),
    ...(dueInHours === null ? [] : [(dueInHours - before(task.remindHours)) * HOUR_MS]),
    ...(dueInDays === null ? [] : [(dueInDays - before(task.remindDays)) * DAY_MS]),
  ];
  const wait = status === 'due' || status === 'done' ? LATEST_MS : Math.min(LATEST_MS, ...waits);
  return now + Math.max(SOONEST_MS, Math.round(wait));
}

/** The same day some months later, or the last day of a shorter month. */
export function monthsAfter(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}
