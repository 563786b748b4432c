import type { Notification } from '../../api/notifications.ts';
import { useFormat } from '../../format/use-format.ts';
import { happenedIn } from '../../forms/happened.ts';
import { iconOfType } from '../../forms/trigger-types.ts';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { classes } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import rows from '../../ui/rows.module.css';
import css from './feed.module.css';
import { outcomeReason } from './reasons.ts';

const words = t.notifications;

/** One notification: icon, sentence, and state. */
export function FeedRow({
  notification,
  isNew,
  byTracker,
  topSpeedKmh,
}: {
  notification: Notification;
  isNew?: boolean;
  /** The tracker reported the same event as an alarm of its own. */
  byTracker?: boolean;
  topSpeedKmh?: number;
}) {
  const { params, status, reason, late, severity, unread, dismissedOn, escalatedAt } = notification;
  const isRetracted = status === 'retracted';
  const { units } = usePreferences();
  const format = useFormat();
  const message = happenedIn(params, units);
  const name = params.name && params.name !== params.type ? String(params.name) : undefined;
  return (
    <>
      <span className={classes(rows.mark, css[status], isNew && css.new)}>
        <Icon name={iconOfType(String(params.type))} size={20} />
      </span>
      <span className={rows.words}>
        <span className={classes(rows.message, unread && css.unread)}>
          {unread && <span className="unseen">{`${t.rules.isUnread}: `}</span>}
          {isRetracted ? <del>{message}</del> : message}
        </span>
        <span className={rows.about}>
          {name && <span>{name}</span>}
          {topSpeedKmh !== undefined && <span>{words.topSpeed({ speed: format.speed(topSpeedKmh) })}</span>}
          {byTracker && <span>{words.byTracker}</span>}
          {severity !== 'info' && (
            <Badge tone={severity === 'critical' ? 'danger' : 'warn'}>{t.rules.severities[severity]}</Badge>
          )}
          {dismissedOn !== null && <Badge tone="good">{t.rules.acknowledged}</Badge>}
          {escalatedAt !== null && dismissedOn === null && <Badge tone="danger">{t.rules.escalated}</Badge>}
          {late && <Badge tone="warn">{words.lateHint}</Badge>}
          {status === 'suppressed' && <Badge>{words.suppressed}</Badge>}
          {isRetracted && <Badge tone="danger">{words.retracted}</Badge>}
          {reason && <span>{outcomeReason(status)}</span>}
        </span>
      </span>
    </>
  );
}
