import type { Notification } from '../../api/notifications.ts';
import { happenedIn } from '../../forms/happened.ts';
import { iconOfType } from '../../forms/trigger-types.ts';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { classes } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import css from './feed.module.css';

const words = t.notifications;

/** One thing that happened: its picture, its sentence, and what became of it. */
export function FeedRow({ notification, isNew }: { notification: Notification; isNew?: boolean }) {
  const { params, status, reason, late, severity, unread, dismissedOn, escalatedAt } = notification;
  const isRetracted = status === 'retracted';
  const { units } = usePreferences();
  const message = happenedIn(params, units);
  const name = params.name && params.name !== params.type ? String(params.name) : undefined;
  return (
    <>
      <span className={classes(css.mark, css[status], isNew && css.new)}>
        <Icon name={iconOfType(String(params.type))} size={20} />
      </span>
      <span className={css.words}>
        <span className={classes(css.message, unread && css.unread)}>
          {unread && <span className="unseen">{`${t.rules.isUnread}: `}</span>}
          {isRetracted ? <del>{message}</del> : message}
        </span>
        <span className={css.about}>
          {name && <span>{name}</span>}
          {severity !== 'info' && (
            <Badge tone={severity === 'critical' ? 'danger' : 'warn'}>{t.rules.severities[severity]}</Badge>
          )}
          {dismissedOn !== null && <Badge tone="good">{t.rules.acknowledged}</Badge>}
          {escalatedAt !== null && dismissedOn === null && <Badge tone="danger">{t.rules.escalated}</Badge>}
          {late && <Badge tone="warn">{words.late}</Badge>}
          {status === 'suppressed' && <Badge>{words.suppressed}</Badge>}
          {isRetracted && <Badge tone="danger">{words.retracted}</Badge>}
          {reason && <span>{t.server.said(reason)}</span>}
        </span>
      </span>
    </>
  );
}
