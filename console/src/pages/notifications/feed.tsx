import { useEffect, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { readAnew } from '../../api/calls.ts';
import { useLive } from '../../api/live/live.ts';
import { type Notification, useMarkRead, useNotifications, useUnread } from '../../api/notifications.ts';
import { clock, dayKey, exactTime, startOfDay } from '../../format/times.ts';
import { useNow } from '../../format/use-format.ts';
import { dayName } from '../../forms/day-name.ts';
import { happenedIn } from '../../forms/happened.ts';
import { preferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Pager } from '../../ui/pager.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import css from './feed.module.css';
import { FeedFilters } from './feed-filters.tsx';
import { FeedRow } from './feed-row.tsx';
import { filterOf, isNarrowed, PAGE_ROWS, queryOf } from './filter.ts';

const words = t.notifications;
/** News come in bursts; the list is read anew at most this often. */
const SETTLE_MS = 1000;

/** What happened, newest first, as it happens. */
export function Feed() {
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
    <>
      <FeedFilters filter={filter} />
      <MarkAllRead newestId={query.data?.reduce((most, { id }) => Math.max(most, id), 0)} />
      <p className="unseen" aria-live="polite">
        {newest && words.arrived(newest.text)}
      </p>
      <Loaded query={query} lines={8}>
        {(rows) =>
          rows.length === 0 ? (
            <Nothing isNarrowed={isNarrowed(filter)} />
          ) : (
            <>
              <Days rows={rows.slice(0, PAGE_ROWS)} now={now} arrivedAfter={newest?.since} />
              <Pager
                page={filter.page}
                hasMore={rows.length > PAGE_ROWS}
                onChange={turn}
                about={words.page(
                  filter.page * PAGE_ROWS + 1,
                  filter.page * PAGE_ROWS + Math.min(rows.length, PAGE_ROWS),
                )}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** All that were recorded until now. */
function MarkAllRead({ newestId }: { newestId: number | undefined }) {
  const unread = useUnread().data?.unread ?? 0;
  const mark = useMarkRead();
  if (unread === 0 || !newestId) return null;
  return (
    <p className={css.unreadBar}>
      <span>{t.rules.unreadOf(unread)}</span>
      <Button
        size="small"
        icon="check"
        isBusy={mark.isPending}
        onClick={() => mark.mutate({ id: 'me', body: { upTo: newestId } })}
      >
        {t.rules.markRead}
      </Button>
    </p>
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
  const days = Map.groupBy(rows, ({ timestamp }) => dayKey(timestamp));
  return (
    <div className={css.days}>
      {[...days].map(([key, those]) => (
        <section key={key} aria-label={dayName(those[0]!.timestamp, now)}>
          <h2 className={css.day}>{dayName(those[0]!.timestamp, now)}</h2>
          <ul className={css.rows}>
            {those.map((one) => (
              <li key={one.id}>
                <Link href={`/notifications/${one.id}`} className={css.row}>
                  <FeedRow
                    notification={one}
                    isNew={arrivedAfter !== undefined && Date.parse(one.created) > arrivedAfter}
                  />
                  <time className={css.time} dateTime={one.timestamp} title={exactTime(one.timestamp)}>
                    {clock(one.timestamp)}
                  </time>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Nothing({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed) return <EmptyState icon="filter" title={words.nothingFits} />;
  return (
    <EmptyState
      icon="bell"
      title={words.emptyTitle}
      action={
        <ButtonLink href="/notifications/triggers/new" kind="primary" icon="plus">
          {words.newTrigger}
        </ButtonLink>
      }
    >
      {words.emptyText}
    </EmptyState>
  );
}
