import type { MaintenanceTask } from '../../api/fleet-tools/maintenance.ts';
import { count } from '../../format/quantities.ts';
import { date } from '../../format/times.ts';
import { t } from '../../texts/t.ts';
import type { Tone } from '../../ui/badge.tsx';

const words = t.maintenance;

type Due = Pick<MaintenanceTask, 'dueInKm' | 'dueInHours' | 'dueInDays' | 'dueOn'>;

/** "in 480 km, in 12 days", each of what makes it due: the viewer sees which comes first. */
export function dueInWords(task: Due, distance: (metres: number) => string): string {
  const said = (rest: number, amount: string) => (rest < 0 ? words.over(amount) : words.left(amount));
  const { dueInKm, dueInHours, dueInDays, dueOn } = task;
  return [
    ...(dueInKm === null ? [] : [said(dueInKm, distance(Math.abs(dueInKm) * 1000))]),
    ...(dueInHours === null ? [] : [said(dueInHours, `${count(Math.round(Math.abs(dueInHours)))} ${words.hourUnit}`)]),
    ...(dueInDays === null || dueOn === null ? [] : [byDate(dueInDays, dueOn)]),
  ].join(', ');
}

function byDate(days: number, dueOn: string): string {
  if (days < 0) return words.over(words.inDays(Math.ceil(-days)));
  return days > MOST_DAYS ? date(dueOn) : words.left(words.inDays(Math.ceil(days)));
}

/** Beyond this a date says more than a number of days. */
const MOST_DAYS = 90;

export const toneOf = ({ status }: Pick<MaintenanceTask, 'status'>): Tone =>
  (({ ok: 'good', soon: 'warn', due: 'danger', done: 'plain' }) as const)[status];
