import { useState } from 'react';
import { type Driver, ME, useDeleteDriver, useDrivers } from '../../api/fleet-tools/drivers.ts';
import { t } from '../../texts/t.ts';
import { ActDialog } from '../../ui/act-dialog.tsx';
import { Tag } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page, Row } from '../../ui/page.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, PhoneLine, Table } from '../../ui/table.tsx';
import { DriverForm } from './driver-form.tsx';

const words = t.drivers;

/** The people who drive the viewer's devices. */
export default function DriversPage() {
  const query = useDrivers();
  const [edited, setEdited] = useState<Driver | 'new'>();
  const [deleting, setDeleting] = useState<Driver>();
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setEdited('new')}>
      {words.add}
    </Button>
  );
  const columns: Column<Driver>[] = [
    {
      key: 'name',
      label: words.columns.name,
      wraps: 'names',
      cell: ({ name, phone }) => (
        <>
          <strong>{name}</strong>
          {phone && (
            <PhoneLine>
              <a href={`tel:${phone}`}>{phone}</a>
            </PhoneLine>
          )}
        </>
      ),
    },
    {
      key: 'phone',
      label: words.columns.phone,
      isMinor: true,
      cell: ({ phone }) => phone && <a href={`tel:${phone}`}>{phone}</a>,
    },
    {
      key: 'tags',
      label: words.columns.tags,
      cell: ({ tags }) => (
        <Row>
          {tags?.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </Row>
      ),
    },
    { key: 'note', label: words.columns.note, isMinor: true, wraps: 'names', cell: ({ note }) => note },
    {
      key: 'actions',
      label: words.columns.actions,
      align: 'end',
      fits: true,
      cell: (driver) => (
        <Menu
          label={words.more(driver.name)}
          items={[
            { label: words.edit, icon: 'edit', onPress: () => setEdited(driver) },
            { label: words.delete, icon: 'trash', isDangerous: true, onPress: () => setDeleting(driver) },
          ]}
          button={(props) => <IconButton icon="more" size="small" label={words.more(driver.name)} {...props} />}
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
            <Table columns={columns} rows={drivers} rowKey={({ id }) => id} caption={words.list} />
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
      title={words.deleteTitle(driver.name)}
      action={words.delete}
      done={words.deleted}
      act={() => remove.mutateAsync({ id: ME, fk: driver.id })}
      onClose={onClose}
    >
      {words.deleteText}
    </ActDialog>
  );
}
