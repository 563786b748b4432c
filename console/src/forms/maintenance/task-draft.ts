import type { MaintenanceTask, TaskBody } from '../../api/fleet-tools/maintenance.ts';
import { dayKey } from '../../format/times.ts';
import type { Scale } from '../trigger-units.ts';

/** The form state of a task: distances in the viewer's unit, dates as `2026-11-15`. */
export interface TaskDraft {
  readonly name: string;
  readonly note: string;
  readonly every: number | null;
  readonly everyHours: number | null;
  readonly hoursOf: 'driving' | 'engine';
  readonly everyMonths: number | null;
  readonly dueOn: string;
  readonly remind: number | null;
  readonly remindHours: number | null;
  readonly remindDays: number | null;
  readonly since: string;
  readonly odometer: number | null;
}

export const newTask = (now: number): TaskDraft => ({
  name: '',
  note: '',
  every: null,
  everyHours: null,
  hoursOf: 'driving',
  everyMonths: null,
  dueOn: '',
  remind: null,
  remindHours: null,
  remindDays: 14,
  since: dayKey(now),
  odometer: null,
});

export function draftOf(task: MaintenanceTask, way: Scale): TaskDraft {
  const shown = (km: number | null) => (km === null ? null : way.shown(km));
  return {
    name: task.name,
    note: task.note ?? '',
    every: shown(task.everyKm),
    everyHours: task.everyHours,
    hoursOf: task.hoursOf,
    everyMonths: task.everyMonths,
    // A date that is derived from the months was not typed.
    dueOn: task.dueOn === null || task.everyMonths !== null ? '' : dayKey(task.dueOn),
    remind: shown(task.remindKm),
    remindHours: task.remindHours,
    remindDays: task.remindDays,
    since: dayKey(task.since),
    odometer: shown(task.odometer),
  };
}

export const isDueSomehow = ({ every, everyHours, everyMonths, dueOn }: TaskDraft) =>
  every !== null || everyHours !== null || everyMonths !== null || dueOn !== '';

/** The start of a day, but never in the future; an unchanged value is kept to the millisecond. */
export function timeOfDay(day: string, now: number, before?: string): string {
  if (before !== undefined && dayKey(before) === day) return before;
  if (dayKey(now) === day || day === '') return new Date(now).toISOString();
  return new Date(`${day}T00:00`).toISOString();
}

export function bodyOf(draft: TaskDraft, way: Scale, now: number, before?: MaintenanceTask): TaskBody {
  const kept = (amount: number | null) => (amount === null ? null : way.kept(amount));
  const hasDate = draft.dueOn !== '';
  return {
    name: draft.name.trim(),
    note: draft.note.trim() || null,
    everyKm: kept(draft.every),
    everyHours: draft.everyHours,
    hoursOf: draft.hoursOf,
    everyMonths: draft.everyMonths,
    dueOn: hasDate ? new Date(`${draft.dueOn}T00:00`).toISOString() : null,
    remindKm: draft.every === null ? null : kept(draft.remind),
    remindHours: draft.everyHours === null ? null : draft.remindHours,
    remindDays: draft.everyMonths === null && !hasDate ? null : draft.remindDays,
    since: timeOfDay(draft.since, now, before?.since),
    odometer: kept(draft.odometer),
  };
}
