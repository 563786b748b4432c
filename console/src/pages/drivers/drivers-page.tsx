import { useState } from 'react';
import { Link } from 'wouter';
import { type Driver, ME, useDeleteDriver, useDrivers, useVehiclesNow } from '../../api/fleet-tools/drivers.ts';
import { useFleet } from '../../api/live/fleet.ts';
import { useFleetReport } from '../../api/reports/reports.ts';
import { duration } from '../../format/quantities.ts';
import { ScoreHelp } from '../../forms/score-help.tsx';
import { t } from '../../texts/t.ts';
import { ActDialog } from '../../ui/act-dialog.tsx';
import { Tag } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page, Row, Stack } from '../../ui/page.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, PhoneLine, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { DriverForm } from './driver-form.tsx';
import { drivingOf } from './driving.ts';

const words = t.drivers;

const DAYS = 7;
/** Each device is asked for its driver. */
const MOST_ASKED = 200;

/** To the end of this hour, so that it is read once an hour. */
function lastDays() {
  const to = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000);
  return { from: new Date(to.getTime() - DAYS * 86_400_000).toISOString(), to: to.toISOString() };
}

/** The people who drive the viewer's devices. */
export default function DriversPage() {
  const query = useDrivers();
  const fleet = useFleet();
  const hasDrivers = (query.data?.length ?? 0) > 0;
  const report = useFleetReport({ kind: 'drivers', ...lastDays() }, { enabled: hasDrivers, keepsPrevious: true });
  const driving = drivingOf(report.data?.rows ?? []);
  const ids = hasDrivers ? [...fleet.devices.keys()].slice(0, MOST_ASKED) : [];
  const vehicles = useVehiclesNow(ids).data;
  const [edited, setEdited] = useState<Driver | 'new'>();
  const [deleting, setDeleting] = useState<Driver>();
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setEdited('new')}>
      {words.add}
    </Button>
  );
  const scoreOf = (id: number) => driving.get(id)?.score ?? t.reports.never;
  const columns: Column<Driver>[] = [
    {
      key: 'name',
      label: words.columns.name,
      wraps: 'names',
      cell: ({ id, name, phone }) => (
        <>
          <strong>{name}</strong>
          {phone && (
            <div>
              <a href={`tel:${phone}`}>{phone}</a>
            </div>
          )}
          <PhoneLine>
            {words.columns.score}: {scoreOf(id)}
          </PhoneLine>
        </>
      ),
    },
    {
      key: 'vehicle',
      label: words.columns.vehicle,
      wraps: 'words',
      cell: ({ id }) => {
        const deviceId = vehicles?.get(id);
        if (deviceId === undefined) return null;
        return (
          <Link href={`/devices/${deviceId}`}>
            {fleet.devices.get(deviceId)?.name ?? t.links.aDevice({ id: deviceId })}
          </Link>
        );
      },
    },
    {
      key: 'hours',
      label: words.columns.hours,
      isMinor: true,
      align: 'end',
      cell: ({ id }) => (report.data ? duration(driving.get(id)?.seconds ?? 0) : t.reports.never),
    },
    {
      key: 'score',
      label: words.columns.score,
      isMinor: true,
      align: 'end',
      cell: ({ id }) => scoreOf(id),
    },
    {
      key: 'last',
      label: words.columns.last,
      isMinor: true,
      wraps: 'words',
      cell: ({ id }) => {
        const last = driving.get(id);
        if (!last?.lastEnd) return null;
        return (
          <>
            <Ago time={last.lastEnd} />{' '}
            <Link href={`/devices/${last.lastDeviceId}`}>
              {last.lastDeviceName ?? t.links.aDevice({ id: last.lastDeviceId })}
            </Link>
          </>
        );
      },
    },
    {
      key: 'tags',
      label: words.columns.tags,
      isMinor: true,
      cell: ({ tags }) => (
        <Row>
          {tags?.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </Row>
      ),
    },
    { key: 'note', label: words.columns.note, isMinor: true, wraps: 'words', cell: ({ note }) => note },
    {
      key: 'actions',
      label: words.columns.actions,
      align: 'end',
      fits: true,
      cell: (driver) => (
        <Menu
          label={words.more({ name: driver.name })}
          items={[
            { label: words.edit, icon: 'edit', onPress: () => setEdited(driver) },
            { label: words.delete, icon: 'trash', isDangerous: true, onPress: () => setDeleting(driver) },
          ]}
          button={(props) => (
            <IconButton icon="more" size="small" label={words.more({ name: driver.name })} {...props} />
          )}
        />
      ),
    },
  ];
  return (
    <Page title={words.title} lead={words.lead} {...(query.data?.length && { actions: add })}>
      <Loaded query={query} lines={5}>
        {(drivers) =>
          drivers.length === 0 ? (
            <EmptyState icon="user" title={words.none} action={add}>
              {words.noneText}
            </EmptyState>
          ) : (
            <Stack>
              <Table columns={columns} rows={drivers} rowKey={({ id }) => id} caption={words.list} />
              <ScoreHelp />
            </Stack>
          )
        }
      </Loaded>
      {edited && <DriverForm {...(edited !== 'new' && { driver: edited })} onClose={() => setEdited(undefined)} />}
      {deleting && <DeleteDialog driver={deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  );
}

function DeleteDialog({ driver, onClose }: { driver: Driver; onClose: () => void }) {
  const remove = useDeleteDriver();
  return (
    <ActDialog
      title={words.deleteTitle({ name: driver.name })}
      action={words.delete}
      done={words.deleted}
      act={() => remove.mutateAsync({ id: ME, fk: driver.id })}
      onClose={onClose}
    >
      {words.deleteText}
    </ActDialog>
  );
}
