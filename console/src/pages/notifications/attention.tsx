import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useMe } from '../../api/accounts/users.ts';
import { type Notification, useAcknowledge, useMarkRead, useNotifications } from '../../api/notifications.ts';
import { exactTime } from '../../format/times.ts';
import { alarmTimes, type InboxRow, inboxRows } from '../../forms/inbox-rows.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import css from './notification.module.css';

const words = t.rules;

/** Severity and acknowledgement. Opening it marks it as read, and the tracker's own alarms about the same event with it. */
export function Attention({ notification: one }: { notification: Notification }) {
  const { notification, alarms } = useInboxRow(one);
  const { unread, severity, status, dismissedOn, dismissedBy, escalatedAt, note } = notification;
  const ids = [one, ...alarms].map(({ id }) => id);
  const key = ids.join();
  const me = useMe().data?.id;
  const { mutate: mark } = useMarkRead();
  useEffect(() => {
    if (unread) mark({ id: 'me', body: { ids: key.split(',').map(Number) } });
  }, [unread, key, mark]);
  if (status !== 'valid' && dismissedOn === null) return null;
  return (
    <Card title={words.acknowledge}>
      <p className={css.badges}>
        <Badge tone={severity === 'critical' ? 'danger' : severity === 'warning' ? 'warn' : 'plain'}>
          {words.severities[severity]}
        </Badge>
        {escalatedAt !== null && <Badge tone="danger">{`${words.escalated}: ${exactTime(escalatedAt)}`}</Badge>}
        {dismissedOn !== null && <Badge tone="good">{words.acknowledged}</Badge>}
        {alarms.map(({ id }) => (
          <Link key={id} href={`/notifications/${id}`}>
            {t.notifications.byTracker}
          </Link>
        ))}
      </p>
      {dismissedOn === null ? (
        <AcknowledgeForm ids={ids} />
      ) : (
        <Facts
          facts={[
            [words.acknowledged, exactTime(dismissedOn)] as const,
            ...(dismissedBy === null
              ? []
              : [[words.by, dismissedBy === me ? t.audit.you : t.users.somebody({ id: dismissedBy })] as const]),
            ...(note ? [[words.note, note] as const] : []),
          ]}
        />
      )}
    </Card>
  );
}

function useInboxRow(notification: Notification): InboxRow {
  const times = alarmTimes(notification);
  const iso = (at: number | undefined) => new Date(at ?? 0).toISOString();
  const timestamp = { gte: iso(times?.from), lte: iso(times?.to) };
  const { data: alarms = [] } = useNotifications(
    { where: { deviceId: notification.deviceId, 'params.type': 'alarm', timestamp } },
    { enabled: times !== undefined },
  );
  return inboxRows([notification, ...alarms])[0]!;
}

function AcknowledgeForm({ ids }: { ids: readonly number[] }) {
  const [note, setNote] = useState('');
  const acknowledge = useAcknowledge();
  return (
    <form
      className={css.acknowledge}
      onSubmit={(event) => {
        event.preventDefault();
        for (const id of ids) acknowledge.mutate({ id, body: note.trim() ? { note: note.trim() } : {} });
      }}
    >
      {acknowledge.error && <Notice tone="danger">{problemOf(acknowledge.error)}</Notice>}
      <TextField
        label={words.note}
        hint={words.acknowledgeHint}
        placeholder={words.notePlaceholder}
        maxLength={1000}
        value={note}
        onChange={setNote}
      />
      <Button type="submit" icon="check" kind="primary" isBusy={acknowledge.isPending}>
        {words.acknowledge}
      </Button>
    </form>
  );
}
