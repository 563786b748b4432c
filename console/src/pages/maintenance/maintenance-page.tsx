import { Link } from 'wouter';
import { type MaintenanceTask, useFleetTasks } from '../../api/fleet-tools/maintenance.ts';
import { date } from '../../format/times.ts';
import { TaskDue, TaskStatus } from '../../forms/maintenance/task-due.tsx';
import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, PhoneLine, Table } from '../../ui/table.tsx';

const words = t.maintenance;
const hrefOf = ({ deviceId }: MaintenanceTask) => `/devices/${deviceId}/maintenance`;
const nameOf = ({ deviceId, deviceName }: MaintenanceTask) => deviceName ?? t.links.aDevice(deviceId);

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
  { key: 'status', label: words.columns.status, fits: true, cell: (task) => <TaskStatus task={task} /> },
  { key: 'since', label: words.columns.since, isMinor: true, cell: ({ since }) => date(since) },
];

/** What the devices of the viewer need next. */
export default function MaintenancePage() {
  const query = useFleetTasks();
  return (
    <Page title={words.title} lead={words.lead}>
      <Loaded query={query} lines={5}>
        {(tasks) =>
          tasks.length === 0 ? (
            <EmptyState
              icon="wrench"
              title={words.none}
              action={
                <ButtonLink href="/devices" kind="primary" icon="device">
                  {words.toDevices}
                </ButtonLink>
              }
            >
              {words.noneFleetText}
            </EmptyState>
          ) : (
            <Table columns={COLUMNS} rows={tasks} rowKey={({ id }) => id} caption={words.list} href={hrefOf} />
          )
        }
      </Loaded>
    </Page>
  );
}
