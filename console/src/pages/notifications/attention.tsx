import { useEffect, useState } from 'react';
import { useMe } from '../../api/accounts/users.ts';
import { type Notification, useAcknowledge, useMarkRead } from '../../api/notifications.ts';
import { exactTime } from '../../format/times.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import css from './notification.module.css';

const words = t.rules;

/** Severity and acknowledgement. Opening it marks it as read. */
export function Attention({ notification }: { notification: Notification }) {
  const { id, unread, severity, status, dismissedOn, dismissedBy, escalatedAt, note } = notification;
  const me = useMe().data?.id;
  const { mutate: mark } = useMarkRead();
  useEffect(() => {
    if (unread) mark({ id: 'me', body: { ids: [id] } });
  }, [unread, id, mark]);
  if (status !== 'valid' && dismissedOn === null) return null;
  return (
    <Card title={words.acknowledge}>
      <p className={css.badges}>
        <Badge tone={severity === 'critical' ? 'danger' : severity === 'warning' ? 'warn' : 'plain'}>
          {words.severities[severity]}
        </Badge>
        {escalatedAt !== null && <Badge tone="danger">{`${words.escalated}: ${exactTime(escalatedAt)}`}</Badge>}
        {dismissedOn !== null && <Badge tone="good">{words.acknowledged}</Badge>}
      </p>
      {dismissedOn === null ? (
        <AcknowledgeForm id={id} />
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

function AcknowledgeForm({ id }: { id: number }) {
  const [note, setNote] = useState('');
  const acknowledge = useAcknowledge();
  return (
    <form
      className={css.acknowledge}
      onSubmit={(event) => {
        event.preventDefault();
        acknowledge.mutate({ id, body: note.trim() ? { note: note.trim() } : {} });
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
