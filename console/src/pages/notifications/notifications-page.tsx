import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { call, readAnew, useRead } from '../../api/calls.ts';
import { useLive } from '../../api/live/live.ts';
import {
  type Notification,
  useAcknowledge,
  useMarkRead,
  useNotifications,
  useUnread,
} from '../../api/notifications.ts';
import { atMost999 } from '../../format/quantities.ts';
import { clock, dayKey, exactTime, startOfDay } from '../../format/times.ts';
import { useNow } from '../../format/use-format.ts';
import { dayName } from '../../forms/day-name.ts';
import { happenedIn } from '../../forms/happened.ts';
import { type InboxRow, inboxRows } from '../../forms/inbox-rows.ts';
import { preferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { useIsPhone } from '../../ui/fields/filter-bar.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import list from '../../ui/rows.module.css';
import { EmptyState, Loaded, problemOf } from '../../ui/states.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './feed.module.css';
import { FeedFilters } from './feed-filters.tsx';
import { FeedRow } from './feed-row.tsx';
import { type FeedFilter, filterOf, filtersInUse, NEEDS_ACTION, PAGE_ROWS, queryOf, searchOf } from './filter.ts';
import { PushButton } from './push-button.tsx';
import { useTopSpeeds } from './use-top-speeds.ts';

const words = t.notifications;
/** Notifications arrive in bursts; the list is read again at most this often. */
const SETTLE_MS = 1000;

/** The inbox: notifications, newest first, updated live. */
export default function NotificationsPage() {
  const isPhone = useIsPhone();
  const [search, setSearch] = useSearchParams();
  const filter = filterOf(search);
  const now = useNow();
  const query = useNotifications(queryOf(filter, startOfDay(now).getTime()), {
    keepsPrevious: true,
    // Much may have happened while another page was open.
    staleTime: 0,
  });
  const newest = useNews();
  const turn = (page: number) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (page === 0) next.delete('page');
      else next.set('page', String(page));
      return next;
    });
  return (
    <Page
      title={words.title}
      actions={
        <>
          <PushButton />
          {isPhone && <FeedFilters filter={filter} />}
          <BulkMenu rows={query.data?.slice(0, PAGE_ROWS) ?? []} />
        </>
      }
    >
      <div className={css.head}>
        <Views
          view={filter.view}
          shown={shownRows(filter, query.data)}
          onChange={(view) => setSearch(searchOf(search, { view }))}
        />
        {!isPhone && <FeedFilters filter={filter} />}
      </div>
      <p className="unseen" aria-live="polite">
        {newest && words.arrived({ message: newest.text })}
      </p>
      <Loaded query={query} lines={8}>
        {(rows) =>
          rows.length === 0 ? (
            <Nothing filter={filter} />
          ) : (
            <>
              <Days rows={rows.slice(0, PAGE_ROWS)} now={now} arrivedAfter={newest?.since} />
              <Pager
                page={filter.page}
                hasMore={rows.length > PAGE_ROWS}
                onChange={turn}
                about={words.page({
                  from: filter.page * PAGE_ROWS + 1,
                  to: filter.page * PAGE_ROWS + Math.min(rows.length, PAGE_ROWS),
                })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const isOpen = ({ status, dismissedOn }: Notification) => status === 'valid' && dismissedOn === null;

/** Reads all that were recorded until now, and acknowledges what the list shows. */
function BulkMenu({ rows }: { rows: readonly Notification[] }) {
  const unread = useUnread().data?.unread ?? 0;
  const mark = useMarkRead();
  const newestId = rows.reduce((most, { id }) => Math.max(most, id), 0);
  const open = rows.filter(isOpen);
  // A tracker's own alarm is acknowledged with the row that shows it, and not counted separately.
  const count = inboxRows(open).length;
  const [asks, setAsks] = useState(false);
  const run = useMutation({
    mutationFn: async () => {
      for (const { id } of open) await call('acknowledgeNotification')({ id, body: {} });
      return count;
    },
    onSuccess: (acknowledged) => toast({ text: words.acknowledgedAll({ count: acknowledged }), tone: 'good' }),
    onError: (error) => toast({ text: problemOf(error), tone: 'danger' }),
    onSettled: () => {
      setAsks(false);
      return readAnew(['listNotifications', 'countNotifications', 'getUnreadNotifications']);
    },
  });
  const items: MenuItem[] = [
    ...(unread > 0 && newestId > 0
      ? [
          {
            label: t.rules.markRead,
            icon: 'eye' as const,
            onPress: () => mark.mutate({ id: 'me', body: { upTo: newestId } }),
          },
        ]
      : []),
    ...(open.length > 0
      ? [{ label: words.acknowledgeAll({ count }), icon: 'check' as const, onPress: () => setAsks(true) }]
      : []),
  ];
  return (
    <>
      {items.length > 0 && (
        <Menu
          label={words.bulk}
          items={items}
          button={(props) => (
            <Button icon="list" shrinks {...props}>
              {words.bulk}
            </Button>
          )}
        />
      )}
      {asks && (
        <ConfirmDialog
          title={words.acknowledgeAllTitle}
          action={t.rules.acknowledge}
          isHarmless
          isBusy={run.isPending}
          onConfirm={() => run.mutate()}
          onClose={() => setAsks(false)}
        >
          {words.acknowledgeAllText({ count })}
        </ConfirmDialog>
      )}
    </>
  );
}

function AcknowledgeOne({ notification, alarms }: InboxRow) {
  const acknowledge = useAcknowledge();
  return (
    <IconButton
      icon="check"
      size="small"
      label={words.acknowledgeOne({ message: happenedIn(notification.params, preferences.get().units) })}
      disabled={acknowledge.isPending}
      onClick={() => {
        const onError = (error: unknown) => toast({ text: problemOf(error), tone: 'danger' });
        for (const { id } of [notification, ...alarms]) acknowledge.mutate({ id, body: {} }, { onError });
      }}
    />
  );
}

/** The number of rows of a list that is shown as a whole; undefined if there may be more. */
const shownRows = (filter: FeedFilter, rows: readonly Notification[] | undefined) =>
  rows !== undefined && filter.page === 0 && rows.length <= PAGE_ROWS && filtersInUse(filter) === 0
    ? inboxRows(rows).length
    : undefined;

/** What needs action, what is unread, and everything. */
function Views({
  view,
  shown,
  onChange,
}: {
  view: FeedFilter['view'];
  shown: number | undefined;
  onChange: (view: FeedFilter['view']) => void;
}) {
  const unread = useUnread().data?.unread ?? 0;
  const { data } = useRead('countNotifications', { id: 'me', where: NEEDS_ACTION });
  const counts = {
    action: data?.count ?? 0,
    unread,
    all: 0,
    ...(view !== 'all' && shown !== undefined && { [view]: shown }),
  };
  return (
    <Segmented
      label={words.views}
      value={view}
      choices={(['action', 'unread', 'all'] as const).map((value) => ({
        value,
        label: counts[value] > 0 ? `${words.viewNames[value]} (${atMost999(counts[value])})` : words.viewNames[value],
      }))}
      onChange={onChange}
    />
  );
}

/** Reads the list anew soon after something happened, and says what. */
function useNews(): { text: string; since: number } | undefined {
  const [since] = useState(Date.now);
  const [text, setText] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const soon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void readAnew(['listNotifications', 'countNotifications']);
    }, SETTLE_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useLive('notification', ({ params }) => {
    setText(happenedIn(params, preferences.get().units));
    soon();
  });
  useLive('retraction', soon);
  useLive('reset', soon);
  return text === undefined ? undefined : { text, since };
}

function Days({ rows, now, arrivedAfter }: { rows: readonly Notification[]; now: number; arrivedAfter?: number }) {
  const topSpeeds = useTopSpeeds(rows);
  const days = Map.groupBy(inboxRows(rows), ({ notification }) => dayKey(notification.timestamp));
  return (
    <div className={css.days}>
      {[...days].map(([key, those]) => (
        <section key={key} aria-label={dayName(those[0]!.notification.timestamp, now)}>
          <h2 className={css.day}>{dayName(those[0]!.notification.timestamp, now)}</h2>
          <ul className={list.rows}>
            {those.map(({ notification: one, alarms }) => (
              <li key={one.id} className={css.item}>
                <Link href={`/notifications/${one.id}`} className={list.row}>
                  <FeedRow
                    notification={one}
                    byTracker={alarms.length > 0}
                    topSpeedKmh={topSpeeds.get(one.id)}
                    isNew={arrivedAfter !== undefined && Date.parse(one.created) > arrivedAfter}
                  />
                  <time className={css.time} dateTime={one.timestamp} title={exactTime(one.timestamp)}>
                    {clock(one.timestamp)}
                  </time>
                </Link>
                {isOpen(one) && <AcknowledgeOne notification={one} alarms={alarms} />}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Nothing({ filter }: { filter: FeedFilter }) {
  if (filtersInUse(filter) === 0 && filter.view !== 'all')
    return <EmptyState icon="check" title={filter.view === 'action' ? words.nothingToDo : words.nothingUnread} />;
  if (filtersInUse(filter) > 0) return <EmptyState icon="filter" title={words.nothingFits} />;
  return (
    <EmptyState
      icon="bell"
      title={words.emptyTitle}
      action={
        <ButtonLink href="/alerts/new" kind="primary" icon="plus">
          {t.alerts.add}
        </ButtonLink>
      }
    >
      {words.emptyText}
    </EmptyState>
  );
}
