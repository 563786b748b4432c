import { useState } from 'react';
import { Link } from 'wouter';
import { type MaintenanceTask, useFleetTasks } from '../../api/fleet-tools/maintenance.ts';
import { date } from '../../format/times.ts';
import { DoneButton, DoneDialog } from '../../forms/maintenance/done-dialog.tsx';
import { TaskDue, TaskStatus } from '../../forms/maintenance/task-due.tsx';
import { TaskForm } from '../../forms/maintenance/task-form.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, PhoneLine, Table } from '../../ui/table.tsx';

const words = t.maintenance;
const hrefOf = ({ deviceId }: MaintenanceTask) => `/devices/${deviceId}/maintenance`;
const nameOf = ({ deviceId, deviceName }: MaintenanceTask) => deviceName ?? t.links.aDevice({ id: deviceId });

const COLUMNS: readonly Column<MaintenanceTask>[] = [
  {
    key: 'task',
    label: words.columns.task,
    wraps: 'names',
    cell: (task) => (
      <>
        <Link href={hrefOf(task)}>
          <strong>{task.name}</strong>
        </Link>
        <PhoneLine>{nameOf(task)}</PhoneLine>
      </>
    ),
  },
  { key: 'device', label: words.columns.device, isMinor: true, wraps: 'names', cell: nameOf },
  { key: 'due', label: words.columns.due, cell: (task) => <TaskDue task={task} /> },
  { key: 'status', label: words.columns.status, isMinor: true, fits: true, cell: (task) => <TaskStatus task={task} /> },
  { key: 'since', label: words.columns.since, isMinor: true, cell: ({ since }) => date(since) },
];

type Open = { readonly what: 'new' } | { readonly what: 'done'; readonly task: MaintenanceTask };

/** What the devices of the viewer need next. */
export default function MaintenancePage() {
  const query = useFleetTasks();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setOpen({ what: 'new' })}>
      {words.add}
    </Button>
  );
  const columns: Column<MaintenanceTask>[] = [
    ...COLUMNS,
    {
      key: 'actions',
      label: words.columns.actions,
      align: 'end',
      fits: true,
      cell: (task) =>
        task.status !== 'done' && <DoneButton task={task} onClick={() => setOpen({ what: 'done', task })} />,
    },
  ];
  return (
    <Page title={words.title} lead={words.lead} {...(query.data?.length && { actions: add })}>
      <Loaded query={query} lines={5}>
        {(tasks) =>
          tasks.length === 0 ? (
            <EmptyState icon="wrench" title={words.none} action={add}>
              {words.noneFleetText}
            </EmptyState>
          ) : (
            <Table columns={columns} rows={tasks} rowKey={({ id }) => id} caption={words.list} href={hrefOf} />
          )
        }
      </Loaded>
      {open?.what === 'new' && <TaskForm onClose={close} />}
      {open?.what === 'done' && <DoneDialog task={open.task} onClose={close} />}
    </Page>
  );
}
