import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { type AuditEntry, exportAuditEntries, useAuditEntries } from '../../api/accounts/audit.ts';
import { useMe, useUsers } from '../../api/accounts/users.ts';
import { useDevices } from '../../api/devices.ts';
import { useGroups } from '../../api/many/groups.ts';
import { dateTime, exactTime } from '../../format/times.ts';
import { t, textFor } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { useIsPhone } from '../../ui/fields/filter-bar.tsx';
import { Page, Stack } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { EmptyState, Loaded, problemOf } from '../../ui/states.tsx';
import { type Column, PhoneLine, Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './audit.module.css';
import { AuditFilters } from './audit-filters.tsx';
import { detailOf, isShortened } from './detail.ts';
import { askedBy, filterIn, filtersInUse, PAGE, rangeOf } from './filter.ts';

const words = t.audit;

/** The audit trail: for admins all of it, for others their own part. */
export default function AuditPage() {
  const isPhone = useIsPhone();
  const [search, setSearch] = useSearchParams();
  const filter = filterIn(search);
  const isAdmin = useMe().data?.admin ?? false;
  const query = useAuditEntries(askedBy(filter), { keepsPrevious: true });
  const shown = query.data?.slice(0, PAGE) ?? [];
  const names = useNames(shown, isAdmin);
  const turn = (page: number) => {
    const next = new URLSearchParams(search);
    if (page === 0) next.delete('page');
    else next.set('page', String(page));
    setSearch(next);
  };
  const columns: Column<AuditEntry>[] = [
    {
      key: 'at',
      label: words.columns.at,
      wraps: 'words',
      cell: ({ at }) => (
        <time className={css.at} title={exactTime(at)}>
          {dateTime(at)}
        </time>
      ),
    },
    {
      key: 'action',
      label: words.columns.action,
      cell: (entry) => (
        <>
          <Action entry={entry} />
          <PhoneLine>
            {byAbout(names.actor(entry), names.about(entry))}
            <details>
              <summary>{words.columns.detail}</summary>
              {[entry.address, detailOf(entry.detail, names.group)].filter(Boolean).join(' · ')}
              <Raw detail={entry.detail} />
            </details>
          </PhoneLine>
        </>
      ),
    },
    { key: 'who', label: words.columns.who, isMinor: true, wraps: 'names', cell: (entry) => names.actor(entry) },
    {
      key: 'about',
      label: words.columns.about,
      isMinor: true,
      wraps: 'names',
      cell: (entry) => names.about(entry) ?? '–',
    },
    {
      key: 'address',
      label: words.columns.address,
      isMinor: true,
      wraps: 'words',
      cell: ({ address }) => address,
    },
    {
      key: 'detail',
      label: words.columns.detail,
      isMinor: true,
      cell: ({ detail }) => (
        <div className={css.detail}>
          {detailOf(detail, names.group)}
          <Raw detail={detail} />
        </div>
      ),
    },
  ];
  const filters = <AuditFilters filter={filter} isAdmin={isAdmin} />;
  return (
    <Page
      title={words.title}
      lead={!isPhone && (isAdmin ? words.leadForAdmins : words.lead)}
      actions={
        <>
          {isPhone && filters}
          <ExportButton range={rangeOf(filter)} />
        </>
      }
    >
      {!isPhone && <div className={css.filters}>{filters}</div>}
      <Loaded query={query} lines={8}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState icon="eye" title={filtersInUse(filter) > 0 ? words.noneFound : words.none}>
              {filtersInUse(filter) > 0 ? words.noneFoundText : words.noneText}
            </EmptyState>
          ) : (
            <Stack>
              <Table columns={columns} rows={shown} rowKey={({ id }) => id} caption={words.list} />
              <Pager
                page={filter.page}
                hasMore={entries.length > PAGE}
                about={words.entries({ from: filter.page * PAGE + 1, to: filter.page * PAGE + shown.length })}
                onChange={turn}
              />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

const byAbout = (who: string, about: string | null) =>
  words.byAbout({ who, about: about === who ? undefined : (about ?? undefined) });

/** The stored details as JSON, if their line is not complete. */
const Raw = ({ detail }: Pick<AuditEntry, 'detail'>) =>
  isShortened(detail) && (
    <details>
      <summary>{words.columns.detail}</summary>
      <code>{JSON.stringify(detail)}</code>
    </details>
  );

function Action({ entry: { action, count } }: { entry: AuditEntry }) {
  const label = textFor(t.auditActions, action) ?? action;
  return (
    <>
      {label} {count > 1 && <Badge tone="warn">{words.times({ count })}</Badge>}
    </>
  );
}

/** Names of the users, devices and groups of a page: one request for each kind. */
function useNames(entries: readonly AuditEntry[], isAdmin: boolean) {
  const me = useMe().data;
  const idsOf = (pick: (entry: AuditEntry) => (number | null)[]) =>
    [...new Set(entries.flatMap(pick))].filter((id) => id !== null).sort((a, b) => a - b);
  const userIds = idsOf(({ actorId, userId }) => [actorId, userId]);
  const deviceIds = idsOf(({ deviceId }) => [deviceId]);
  const users = useUsers(
    { where: { id: { inq: userIds } }, fields: ['id', 'email', 'name'], limit: userIds.length },
    { enabled: isAdmin && userIds.length > 0, keepsPrevious: true },
  );
  const devices = useDevices(
    { where: { id: { inq: deviceIds } }, fields: ['id', 'name'], limit: deviceIds.length },
    { enabled: deviceIds.length > 0, keepsPrevious: true },
  );
  const user = (id: number) => {
    if (id === me?.id) return words.you;
    const known = users.data?.find((one) => one.id === id);
    return known ? known.name || known.email : words.userNumber({ id });
  };
  const device = (id: number) => devices.data?.find((one) => one.id === id)?.name ?? words.deviceNumber({ id });
  const groups = useGroups().data;
  const group = (id: number) => groups?.find((one) => one.id === id)?.name ?? words.groupNumber({ id });
  return {
    actor: ({ actorId, actor }: AuditEntry) => (actorId === null ? (actor ?? words.nobody) : user(actorId)),
    group,
    /** The device, the group, or a user other than the actor. */
    about: ({ deviceId, userId, actorId, detail }: AuditEntry) => {
      if (deviceId !== null) return device(deviceId);
      if (typeof detail?.groupId === 'number') return group(detail.groupId);
      return userId === null || userId === actorId ? null : user(userId);
    },
  };
}

function ExportButton({ range }: { range: { from?: string; to?: string } }) {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const link = document.createElement('a');
      const url = URL.createObjectURL(await exportAuditEntries(range));
      link.href = url;
      link.download = 'audit-trail.csv';
      link.click();
      // The browser has started the download by then.
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
    setBusy(false);
  };
  return (
    <Button icon="download" shrinks isBusy={isBusy} onClick={() => void save()}>
      {words.export}
    </Button>
  );
}
