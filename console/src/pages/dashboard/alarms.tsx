import { Link } from 'wouter';
import { useNotifications } from '../../api/notifications.ts';
import { happenedIn } from '../../forms/happened.ts';
import { inboxRows } from '../../forms/inbox-rows.ts';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import css from './dashboard.module.css';
import { MOST_LISTED } from './overview.ts';

const words = t.dashboard;
/** Number of newest ones that are searched for devices of a group. */
const LOOKED_AT = 200;
const FILTER = {
  where: { status: 'valid', dismissedOn: null, severity: { inq: ['warning', 'critical'] } },
  ...{ order: ['timestamp DESC', 'id DESC'], limit: LOOKED_AT },
};

/** Unacknowledged warnings. */
export function Alarms({ only }: { only: readonly number[] | undefined }) {
  const { units } = usePreferences();
  const query = useNotifications(FILTER, { refetchInterval: 60_000 });
  return (
    <Card title={words.alarms} actions={<Link href="/notifications?view=action">{words.showAll}</Link>}>
      <Loaded query={query}>
        {(all) => {
          const open = inboxRows(all.filter(({ deviceId }) => only?.includes(deviceId) ?? true));
          if (open.length === 0) return <p>{words.noneOpen}</p>;
          return (
            <ul className={css.list}>
              {open.slice(0, MOST_LISTED).map(({ notification: { id, params, severity, timestamp } }) => (
                <li key={id}>
                  <Link href={`/notifications/${id}`}>{happenedIn(params, units)}</Link>
                  <span>
                    <Badge tone={severity === 'critical' ? 'danger' : 'warn'}>{t.rules.severities[severity]}</Badge>{' '}
                    <Ago time={timestamp} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}
