import { BY_DAYS } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useMe } from '../../../api/accounts/users.ts';
import { type Delivery, useDeliveries } from '../../../api/outbox.ts';
import {
  type SavedReport,
  useDeleteSavedReport,
  useReportRecipients,
  useSavedReports,
  useSendSavedReport,
} from '../../../api/reports/saved-reports.ts';
import { dates, dateTimeIn } from '../../../format/times.ts';
import { DeliveryState } from '../../../forms/one-delivery.tsx';
import { t } from '../../../texts/t.ts';
import { Badge } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Page } from '../../../ui/page.tsx';
import { EmptyState, Loaded, problemOf } from '../../../ui/states.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
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
  const ownZone = useMe().data?.timeZone ?? 'UTC';
  /** All times of a report are shown in its zone. */
  const zoneOf = ({ timeZone }: SavedReport) => timeZone ?? ownZone;
  const times = reports.flatMap(({ lastAt }) => lastAt ?? []);
  const { data: deliveries = [] } = useDeliveries(
    { where: { what: 'report', created: { inq: times } } },
    { enabled: times.length > 0 },
  );
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
          <Recipients addresses={report.recipients} />
        </>
      ),
    },
    { key: 'every', label: words.every, cell: (report) => scheduleOf(report, zoneOf(report)) },
    {
      key: 'next',
      label: words.next,
      cell: (report) => (report.nextAt ? dateTimeIn(report.nextAt, zoneOf(report)) : t.reports.never),
    },
    {
      key: 'last',
      label: words.last,
      cell: (report) => <Last report={report} zone={zoneOf(report)} deliveries={deliveries} />,
    },
    {
      key: 'do',
      label: words.actions,
      fits: true,
      cell: (report) => <Actions report={report} onChange={setChanged} />,
    },
  ];
  return (
    <>
      <Table columns={columns} rows={reports} rowKey={({ id }) => id} caption={words.title} hasCards />
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

/** The least successful first. */
const STATES = ['dead', 'queued', 'sending', 'suppressed', 'cancelled', 'sent'];

function Last({
  report: { lastAt, lastResult, recipients },
  zone,
  deliveries,
}: {
  report: SavedReport;
  zone: string;
  deliveries: readonly Delivery[];
}) {
  if (lastAt === null) return <>{words.neverSent}</>;
  const found = deliveries.filter(
    ({ created, address }) =>
      created === lastAt && (recipients === null || recipients.some((one) => one.trim().toLowerCase() === address)),
  );
  const state = STATES.find((one) => found.some(({ status }) => status === one));
  return (
    <>
      {isSent(lastResult) ? (
        <>
          {state && <DeliveryState status={state} />} <Link href="/outbox/deliveries">{dateTimeIn(lastAt, zone)}</Link>
        </>
      ) : (
        <>
          <Badge tone="danger">{words.notSent}</Badge> {dateTimeIn(lastAt, zone)}
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

function scheduleOf({ every, weekday, monthday, ...report }: SavedReport, zone: string): string {
  const time = `${report.time} (${zone})`;
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
