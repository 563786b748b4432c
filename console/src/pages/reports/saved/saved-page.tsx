import { BY_DAYS } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useMe } from '../../../api/accounts/users.ts';
import {
  type SavedReport,
  useDeleteSavedReport,
  useReportRecipients,
  useSavedReports,
  useSendSavedReport,
} from '../../../api/reports/saved-reports.ts';
import { dates, dateTime, ZONE } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';
import { Badge } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Page } from '../../../ui/page.tsx';
import { EmptyState, Loaded, problemOf } from '../../../ui/states.tsx';
import { type Column, PhoneLine, Table } from '../../../ui/table.tsx';
import { toast } from '../../../ui/toast.tsx';
import { SavedForm, weekdayName } from './saved-form.tsx';

const words = t.savedReports;
const SENT = 'sent';
/** Also to some of its recipients only. */
const isSent = (result: string | null) => result?.startsWith(SENT) === true;

/** The viewer's saved reports: their schedules, and the last results. */
export default function SavedReportsPage() {
  const reports = useSavedReports();
  return (
    <Page title={words.title} lead={words.lead} back={{ href: '/reports', label: t.reports.title }}>
      <Loaded query={reports}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon="gauge" title={words.none}>
              {words.noneText}
            </EmptyState>
          ) : (
            <Saved reports={all} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Saved({ reports }: { reports: readonly SavedReport[] }) {
  const [changed, setChanged] = useState<SavedReport>();
  const zone = useMe().data?.timeZone ?? 'UTC';
  const columns: Column<SavedReport>[] = [
    {
      key: 'name',
      label: words.name,
      wraps: 'words',
      cell: (report) => (
        <>
          <Link href={addressOf(report)}>{report.name}</Link>
          <div>
            {t.reportWords.kinds[report.kind]}, {periodOf(report)}
          </div>
          <PhoneLine>{scheduleOf(report, zone)}</PhoneLine>
          <Recipients addresses={report.recipients} />
        </>
      ),
    },
    { key: 'every', label: words.every, isMinor: true, cell: (report) => scheduleOf(report, zone) },
    {
      key: 'next',
      label: words.next,
      isMinor: true,
      cell: ({ nextAt }) => (nextAt ? dateTime(nextAt) : t.reports.never),
    },
    { key: 'last', label: words.last, cell: (report) => <Last report={report} /> },
    {
      key: 'do',
      label: words.actions,
      fits: true,
      cell: (report) => <Actions report={report} onChange={setChanged} />,
    },
  ];
  return (
    <>
      <Table columns={columns} rows={reports} rowKey={({ id }) => id} caption={words.title} />
      {changed && <SavedForm report={changed as never} saved={changed} onClose={() => setChanged(undefined)} />}
    </>
  );
}

/** The addresses of a report, with their state unless they receive it. */
function Recipients({ addresses }: { addresses: SavedReport['recipients'] }) {
  const { data = [] } = useReportRecipients();
  if (addresses === null) return null;
  return addresses.map((address) => {
    const state = data.find((one) => one.address === address.trim().toLowerCase())?.state;
    return (
      <div key={address}>
        {address}{' '}
        {state && (
          <Badge tone={state === 'confirmed' ? 'good' : state === 'declined' ? 'danger' : 'plain'}>
            {words.recipientStates[state]}
          </Badge>
        )}
      </div>
    );
  });
}

function Last({ report: { lastAt, lastResult } }: { report: SavedReport }) {
  if (lastAt === null) return <>{words.neverSent}</>;
  return (
    <>
      {isSent(lastResult) ? (
        <>
          <Badge>{words.queued}</Badge> <Link href="/outbox/deliveries">{dateTime(lastAt)}</Link>
        </>
      ) : (
        <>
          <Badge tone="danger">{words.notSent}</Badge> {dateTime(lastAt)}
        </>
      )}
      {lastResult !== SENT && <div>{lastResult}</div>}
    </>
  );
}

function Actions({ report, onChange }: { report: SavedReport; onChange: (report: SavedReport) => void }) {
  const send = useSendSavedReport();
  const remove = useDeleteSavedReport();
  const act = async (what: () => Promise<string | undefined>) => {
    try {
      const text = await what();
      if (text !== undefined) toast({ text, tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  const address = { id: 'me', fk: report.id } as const;
  return (
    <Menu
      label={words.actions}
      items={[
        {
          label: words.sendNow,
          icon: 'outbox',
          onPress: () =>
            void act(async () => {
              const { lastResult } = await send.mutateAsync(address);
              if (isSent(lastResult)) return words.onItsWay;
              throw new Error(lastResult ?? words.notSent);
            }),
        },
        { label: words.changeAction, icon: 'edit', onPress: () => onChange(report) },
        {
          label: words.remove,
          icon: 'trash',
          isDangerous: true,
          onPress: () =>
            void act(async () => {
              await remove.mutateAsync(address);
              return words.removed({ name: report.name });
            }),
        },
      ]}
      button={(props) => <IconButton icon="more" label={words.actionsOf({ name: report.name })} {...props} />}
    />
  );
}

/** @param ownZone the zone of a report without one; named if it is not that of the page */
function scheduleOf({ every, weekday, monthday, timeZone, ...report }: SavedReport, ownZone: string): string {
  const zone = timeZone ?? ownZone;
  const time = zone === ZONE ? report.time : `${report.time} (${zone})`;
  if (every === 'week') return words.onWeekday({ day: weekdayName(weekday), time });
  if (every === 'month') return words.onMonthday({ day: monthday, time });
  return every === 'day' ? words.daily({ time }) : words.turns.never;
}

function periodOf({ period, firstDay, lastDay }: SavedReport): string {
  if (period !== BY_DAYS) return t.reports.periods[period];
  return dates(...([firstDay, lastDay].map((day) => new Date(`${day}T00:00`)) as [Date, Date]));
}

/** The same report as a page. */
function addressOf({ kind, period, firstDay, lastDay, ...report }: SavedReport): string {
  const { deviceIds, groupId, tag, limit, fenceIds } = report;
  const query = new URLSearchParams({ kind, ...(period !== BY_DAYS && { period }) });
  if (firstDay !== null && lastDay !== null) {
    query.set('from', firstDay);
    query.set('to', lastDay);
  }
  if (deviceIds?.length === 1) query.set('device', String(deviceIds[0]));
  if (groupId !== null) query.set('group', String(groupId));
  if (tag !== null) query.set('tag', tag);
  if (limit !== null) query.set('limit', String(limit));
  if (fenceIds !== null) query.set('fences', fenceIds.join(','));
  return `/reports?${query}`;
}
