import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { unacknowledged } from '@trackway/contract/wording/sentence.ts';
import type { Kysely } from 'kysely';
import { post } from '../../../platform/outbox/post.ts';
import { notificationPostings } from '../../delivery/notify.ts';
import type { StoredNotification } from '../../delivery/presented.ts';
import type { SendingPolicy } from '../../delivery/sending-policy.ts';
import { readSubjects } from '../../delivery/subjects.ts';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import { hasRights } from '../../rights.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { escalationOf } from '../../triggers/checks.ts';
import { notificationEvents } from '../state/live-events.ts';

const AT_ONCE = 100;

interface Escalation {
  readonly deviceId: number;
  readonly notificationId: number;
}

/**
 * Sends notifications that were not acknowledged in time to other people. Notifications that were retracted or
 * acknowledged meanwhile are not sent.
 * @returns whether something was sent
 */
export async function escalateDue(store: Store, policy: SendingPolicy, now: number): Promise<boolean> {
  let isSent = false;
  for (;;) {
    const due = await store.query
      .selectFrom('escalations')
      .select(['deviceId', 'notificationId', 'dueAt'])
      .where('dueAt', '<=', now)
      .orderBy('dueAt')
      .limit(AT_ONCE)
      .execute();
    for (const one of due) if (await store.transaction((tx) => escalate(tx, policy, one, now))) isSent = true;
    if (due.length < AT_ONCE) return isSent;
  }
}

/** The row is deleted in the transaction that sends it, so only one process sends it. */
async function escalate(
  tx: Kysely<Tables>,
  policy: SendingPolicy,
  { deviceId, notificationId }: Escalation,
  now: number,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('escalations')
    .where('deviceId', '=', deviceId)
    .where('notificationId', '=', notificationId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  const row = await tx
    .selectFrom('notifications')
    .selectAll()
    .where('deviceId', '=', deviceId)
    .where('id', '=', notificationId)
    // A simultaneous retraction or acknowledgement commits before this, or finds what was sent.
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined || row.status !== 'valid' || row.acknowledgedAt !== null) return false;
  if (!(await hasRights(tx, row.userId, [{ deviceId, right: 'manage' }]))) return false;
  const trigger = await tx
    .selectFrom('notificationTriggers')
    .select(['escalation', 'escalateAfter'])
    .where('deviceId', '=', deviceId)
    .where('id', '=', row.triggerId)
    .executeTakeFirst();
  // A trigger that was deleted or no longer escalates sends nothing.
  if (!trigger?.escalation || trigger.escalateAfter === 0) return false;
  await tx
    .updateTable('notifications')
    .set({ escalatedAt: now, unread: 1 })
    .where('deviceId', '=', deviceId)
    .where('id', '=', notificationId)
    .execute();
  const escalated: StoredNotification = { ...row, escalatedAt: now, unread: 1 };
  const outgoing = [{ deviceId, forwarders: [], notifications: [withNews(escalated, trigger.escalateAfter)] }];
  const subjects = await readSubjects(tx, outgoing, now);
  const wanted = new Map([[row.triggerId, escalationOf(JSON.parse(trigger.escalation))]]);
  await post(tx, await notificationPostings(tx, policy, outgoing, subjects, now, { escalated: wanted }), now);
  await appendLiveEvents(tx, notificationEvents([escalated]), now);
  return true;
}

/** The same with the reason of the escalation: in `message` for machines, in `meta` for the language of each reader. */
function withNews(row: StoredNotification, afterS: number): StoredNotification {
  const params = JSON.parse(row.params) as { message?: string; meta?: object };
  const message = unacknowledged(afterS, params.message ?? '', messagesIn('en'));
  const meta = { ...params.meta, unacknowledgedFor: afterS };
  return { ...row, params: JSON.stringify({ ...params, message, meta, sent: undefined }) };
}
