import type { MaintenanceTask } from '../../api/fleet-tools/maintenance.ts';
import { percent } from '../../format/quantities.ts';
import { useFormat } from '../../format/use-format.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { classes } from '../../ui/class-names.ts';
import { dueInWords, isOverdue, toneOf } from './due-words.ts';
import css from './task-due.module.css';

/** When a task is due, with a progress bar. */
export function TaskDue({ task }: { task: MaintenanceTask }) {
  const format = useFormat();
  if (task.status === 'done') return null;
  const share = Math.min(1, task.used);
  return (
    <div className={css.due}>
      <span>{dueInWords(task, format.distance)}</span>
      <div
        className={classes(css.bar, css[toneOf(task)])}
        title={t.maintenance.used({ share: percent(task.used * 100) })}
      >
        <div className={css.fill} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

export const TaskStatus = ({ task }: { task: MaintenanceTask }) => (
  <Badge tone={toneOf(task)}>
    {task.status === 'due' && isOverdue(task) ? t.maintenance.overdue : t.maintenance.status[task.status]}
  </Badge>
);
