import type { MaintenanceTask } from '../../api/fleet-tools/maintenance.ts';
import { count } from '../../format/quantities.ts';
import { date } from '../../format/times.ts';
import { t } from '../../texts/t.ts';
import type { Tone } from '../../ui/badge.tsx';

const words = t.maintenance;

type Due = Pick<MaintenanceTask, 'dueInKm' | 'dueInHours' | 'dueInDays' | 'dueOn'>;

/** "in 480 km, in 12 days", with all limits: the viewer sees which comes first. */
export function dueInWords(task: Due, distance: (metres: number) => string): string {
  const said = (remaining: number, amount: string) => (remaining < 0 ? words.over({ amount }) : words.left({ amount }));
  const { dueInKm, dueInHours, dueInDays, dueOn } = task;
  return [
    ...(dueInKm === null ? [] : [said(dueInKm, distance(Math.abs(dueInKm) * 1000))]),
    ...(dueInHours === null ? [] : [said(dueInHours, `${count(Math.round(Math.abs(dueInHours)))} ${words.hourUnit}`)]),
    ...(dueInDays === null || dueOn === null ? [] : [byDate(dueInDays, dueOn)]),
  ].join(', ');
}

function byDate(days: number, dueOn: string): string {
  if (days < 0) return words.over({ amount: words.inDays({ count: Math.ceil(-days) }) });
  return days > MOST_DAYS ? date(dueOn) : words.left({ amount: words.inDays({ count: Math.ceil(days) }) });
}

/** Beyond this a date is clearer than a number of days. */
const MOST_DAYS = 90;

/** Whether it should have been done by now. */
export const isOverdue = ({ dueInKm, dueInHours, dueInDays }: Due): boolean =>
  [dueInKm, dueInHours, dueInDays].some((left) => left !== null && left < 0);

export const toneOf = ({ status }: Pick<MaintenanceTask, 'status'>): Tone =>
  (({ ok: 'good', soon: 'warn', due: 'danger', done: 'plain' }) as const)[status];
