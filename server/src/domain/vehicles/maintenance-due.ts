import type { TASK_STATUSES } from '@trackway/contract/resources/fleet-tools/maintenance.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import type { MaintenanceTaskRow } from '../schema/rows/fleet-tool-rows.ts';
import type { Tables } from '../schema/tables.ts';

/** When a task is due, by the usage of its device since it was last done. Pure. */

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

type TaskStatus = (typeof TASK_STATUSES)[number];
export type Interval = Pick<
  MaintenanceTaskRow,
  'everyKm' | 'everyHours' | 'hoursOf' | 'dueOn' | 'remindKm' | 'remindHours' | 'remindDays' | 'since'
>;

interface Due {
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
  const isDue = left.some(([remaining]) => remaining !== null && remaining <= 0);
  const isSoon = left.some(([remaining, before]) => remaining !== null && before !== null && remaining <= before);
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

/** The remaining distance or time until it is due, or due soon. */
interface RemainingUntilDue {
  readonly restKm?: number;
  readonly restS?: number;
}

export function remainingUntilDue({ status, dueInKm, dueInHours, dueInDays }: Due, task: Interval): RemainingUntilDue {
  const isWithin = (remaining: number | null, before: number | null): remaining is number =>
    remaining !== null && remaining <= (status === 'due' ? 0 : (before ?? 0));
  if (isWithin(dueInKm, task.remindKm)) return { restKm: dueInKm };
  if (isWithin(dueInHours, task.remindHours)) return { restS: Math.round(dueInHours * 3600) };
  return isWithin(dueInDays, task.remindDays) ? { restS: Math.round(dueInDays * 86_400) } : {};
}

const RANK: Readonly<Record<TaskStatus, number>> = { due: 0, soon: 1, ok: 2, done: 3 };

/** The most urgent first. */
export const byUrgency = (one: Pick<Due, 'status' | 'used'>, other: Pick<Due, 'status' | 'used'>): number =>
  RANK[one.status] - RANK[other.status] || other.used - one.used;

/** Maximum average speed over a longer time. */
const MOST_KMH = 150;
const SOONEST_MS = 5 * 60_000;
const LATEST_MS = HOUR_MS;

/** The time of the next check: not before it can be due, except for late data. */
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

/** The number under which it is noted that a trigger has fired for a task: `soon` and `due`, in each round. */
export const maintenanceOccasion = (round: number, status: 'soon' | 'due'): number =>
  round * 2 + (status === 'due' ? 1 : 0);

/** The usage of a device since a time. */
interface Gone {
  readonly distanceM: number;
  /** Time on trips. */
  readonly drivingMs: number;
  /** Time with the ignition on; null if it was never known. */
  readonly engineMs: number | null;
}

/** Maximum duration of a trip, so that one that starts earlier cannot reach the time. */
const LONGEST_MS = 60 * 86_400_000;

/** A trip that spans the time counts with its share after it. */
const TRIPS = `SELECT
  SUM(CASE WHEN "start" >= ? THEN "distance" ELSE "distance" * (("end" - ?) * 1.0 / ("end" - "start")) END) AS "distanceM",
  SUM(CASE WHEN "start" >= ? THEN "end" - "start" ELSE "end" - ? END) AS "drivingMs"
  FROM "trips" WHERE "deviceId" = ? AND "start" >= ? AND "end" > ?`;

/** Starting with the last change before the time. An ignition that is on counts until the last report. */
const IGNITION = `SELECT
  SUM(CASE WHEN c."isOn" = 1 AND COALESCE(c."next", c."until") > ? THEN
    COALESCE(c."next", c."until") - (CASE WHEN c."at" < ? THEN ? ELSE c."at" END) ELSE 0 END) AS "engineMs"
  FROM (SELECT i."at", i."isOn", LEAD(i."at") OVER (ORDER BY i."at", i."id") AS "next",
    COALESCE(s."reportedAt", i."at") AS "until"
    FROM "ignitionChanges" i JOIN "deviceStates" s ON s."deviceId" = i."deviceId"
    WHERE i."deviceId" = ? AND i."at" >= COALESCE(
      (SELECT MAX(b."at") FROM "ignitionChanges" b WHERE b."deviceId" = ? AND b."at" <= ?), 0)) c`;

/** Numbers may arrive as text: sums of PostgreSQL are wider than its columns. */
type Sum = number | string | null;

export function goneSince(workplace: Pick<Workplace<Tables>, 'prepare'>) {
  const trips = workplace.prepare<{ distanceM: Sum; drivingMs: Sum }>('maintenance.trips', TRIPS);
  const ignition = workplace.prepare<{ engineMs: Sum }>('maintenance.ignition', IGNITION);
  return async (deviceId: number, since: number): Promise<Gone> => {
    const driven = await trips.get(since, since, since, since, deviceId, since - LONGEST_MS, since);
    const running = await ignition.get(since, since, since, deviceId, deviceId, since);
    const engine = running?.engineMs ?? null;
    return {
      distanceM: Number(driven?.distanceM ?? 0),
      drivingMs: Number(driven?.drivingMs ?? 0),
      engineMs: engine === null ? null : Number(engine),
    };
  };
}
