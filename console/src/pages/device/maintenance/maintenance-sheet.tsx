import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useState } from 'react';
import { type MaintenanceTask, useDeleteTask, useRecords, useTasks } from '../../../api/fleet-tools/maintenance.ts';
import { date } from '../../../format/times.ts';
import { useFormat } from '../../../format/use-format.ts';
import { DoneButton, DoneDialog } from '../../../forms/maintenance/done-dialog.tsx';
import { TaskDue, TaskStatus } from '../../../forms/maintenance/task-due.tsx';
import { TaskForm } from '../../../forms/maintenance/task-form.tsx';
import { t } from '../../../texts/t.ts';
import { ActDialog } from '../../../ui/act-dialog.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Stack } from '../../../ui/page.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';
import { type Column, PhoneLine, Table } from '../../../ui/table.tsx';
import type { SheetProps } from '../rights.ts';
import { TitledList } from '../titled-list.tsx';
import css from './maintenance-sheet.module.css';

const words = t.maintenance;

type Open = { readonly what: 'new' } | { readonly what: 'edit' | 'done' | 'delete'; readonly task: MaintenanceTask };

/** The maintenance tasks and history of a device. */
export default function MaintenanceSheet({ device, rights: { mayManage } }: SheetProps) {
  const query = useTasks(device.id);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const add = (shrinks: boolean) => (
    <Button kind="primary" icon="plus" shrinks={shrinks} onClick={() => setOpen({ what: 'new' })}>
      {words.add}
    </Button>
  );
  const columns: Column<MaintenanceTask>[] = [
    {
      key: 'task',
      label: words.columns.task,
      wraps: 'names',
      cell: ({ name, note }) => (
        <>
          <strong>{name}</strong>
          {note && <div>{note}</div>}
        </>
      ),
    },
    { key: 'due', label: words.columns.due, cell: (task) => <TaskDue task={task} /> },
    {
      key: 'status',
      label: words.columns.status,
      fits: true,
      isMinor: true,
      cell: (task) => <TaskStatus task={task} />,
    },
    { key: 'since', label: words.columns.since, isMinor: true, cell: ({ since }) => date(since) },
    ...(mayManage
      ? [
          {
            key: 'actions',
            label: words.columns.actions,
            align: 'end',
            fits: true,
            cell: (task: MaintenanceTask) => <TaskActions task={task} onOpen={setOpen} />,
          } as const,
        ]
      : []),
  ];
  return (
    <Stack>
      <Loaded query={query} lines={3}>
        {(tasks) =>
          tasks.length === 0 ? (
            <EmptyState icon="wrench" title={words.none} {...(mayManage && { action: add(false) })}>
              {words.noneText}
            </EmptyState>
          ) : (
            <TitledList title={words.list} {...(mayManage && { pager: add(true) })}>
              <Table columns={columns} rows={tasks} rowKey={({ id }) => id} caption={words.list} />
            </TitledList>
          )
        }
      </Loaded>
      <History deviceId={device.id} />
      {open?.what === 'new' && <TaskForm deviceId={device.id} onClose={close} />}
      {open?.what === 'edit' && <TaskForm deviceId={device.id} task={open.task} onClose={close} />}
      {open?.what === 'done' && <DoneDialog task={open.task} onClose={close} />}
      {open?.what === 'delete' && <DeleteDialog task={open.task} onClose={close} />}
    </Stack>
  );
}

function TaskActions({ task, onOpen }: { task: MaintenanceTask; onOpen: (open: Open) => void }) {
  return (
    <div className={css.actions}>
      <DoneButton task={task} onClick={() => onOpen({ what: 'done', task })} />
      <Menu
        label={words.more({ name: task.name })}
        items={[
          { label: words.edit, icon: 'edit', onPress: () => onOpen({ what: 'edit', task }) },
          { label: words.delete, icon: 'trash', isDangerous: true, onPress: () => onOpen({ what: 'delete', task }) },
        ]}
        button={(props) => <IconButton icon="more" size="small" label={words.more({ name: task.name })} {...props} />}
      />
    </div>
  );
}

type Record = AnswerOf<'listMaintenanceRecords'>[number];

function History({ deviceId }: { deviceId: number }) {
  const query = useRecords(deviceId);
  const format = useFormat();
  const way = (km: number | null) => (km === null ? '' : format.distance(km * 1000));
  const columns: Column<Record>[] = [
    {
      key: 'when',
      label: words.columns.when,
      fits: true,
      cell: ({ doneAt, odometer }) => (
        <>
          {date(doneAt)}
          <PhoneLine>{way(odometer)}</PhoneLine>
        </>
      ),
    },
    {
      key: 'task',
      label: words.columns.task,
      wraps: 'names',
      cell: ({ name, note }) => (
        <>
          <strong>{name}</strong>
          {note && <PhoneLine>{note}</PhoneLine>}
        </>
      ),
    },
    {
      key: 'odometer',
      label: words.columns.odometer,
      align: 'end',
      isMinor: true,
      cell: ({ odometer }) => way(odometer),
    },
    {
      key: 'distance',
      label: words.columns.distance,
      align: 'end',
      isMinor: true,
      cell: ({ distanceKm }) => way(distanceKm),
    },
    { key: 'note', label: words.columns.note, isMinor: true, wraps: 'names', cell: ({ note }) => note },
  ];
  return (
    <Loaded query={query} lines={2}>
      {(records) =>
        records.length === 0 ? null : (
          <TitledList title={words.history}>
            <Table columns={columns} rows={records} rowKey={({ id }) => id} caption={words.history} />
          </TitledList>
        )
      }
    </Loaded>
  );
}

function DeleteDialog({ task, onClose }: { task: MaintenanceTask; onClose: () => void }) {
  const remove = useDeleteTask();
  return (
    <ActDialog
      title={words.deleteTitle({ name: task.name })}
      action={words.delete}
      done={words.deleted}
      act={() => remove.mutateAsync({ id: task.deviceId, fk: task.id })}
      onClose={onClose}
    >
      {words.deleteText}
    </ActDialog>
  );
}
