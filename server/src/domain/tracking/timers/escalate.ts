import { WORDINGS } from '@trackway/contract/wording/wordings.ts';
import type { Kysely } from 'kysely';
import { post } from '../../../platform/outbox/post.ts';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import { hasRights } from '../../rights.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import type { StoredNotification } from '../../sending/envelopes/presented.ts';
import { readSubjects } from '../../sending/envelopes/subjects.ts';
import { notificationPostings } from '../../sending/people/notify.ts';
import type { SendingPolicy } from '../../sending/sending-policy.ts';
import { escalationOf } from '../../triggers/checks.ts';
import { notificationEvents } from '../state/live-events.ts';

const AT_ONCE = 100;

/**
 * Tells others of what nobody has acknowledged in time. Whoever takes a row away sends it in the same transaction, so it is
 * sent once, by whichever process. What was retracted or acknowledged meanwhile is not sent.
 * @returns whether something was sent
 */
export async function escalateDue(store: Store, policy: SendingPolicy, now: number): Promise<boolean> {
  let isSent = false;
  for (;;) {
    const { count, sent } = await store.transaction((tx) => escalateSome(tx, store, policy, now));
    isSent ||= sent > 0;
    if (count < AT_ONCE) return isSent;
  }
}

async function escalateSome(tx: Kysely<Tables>, { storeKind }: Store, policy: SendingPolicy, now: number) {
  const due = tx
    .selectFrom('escalations')
    .select(['deviceId', 'notificationId', 'dueAt'])
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .limit(AT_ONCE);
  const rows = await (storeKind === 'postgres' ? due.forUpdate().skipLocked() : due).execute();
  let sent = 0;
  for (const { deviceId, notificationId } of rows) {
    await tx
      .deleteFrom('escalations')
      .where('deviceId', '=', deviceId)
      .where('notificationId', '=', notificationId)
      .execute();
    let waiting = tx
      .selectFrom('notifications')
      .selectAll()
      .where('deviceId', '=', deviceId)
      .where('id', '=', notificationId);
    // Whoever retracts or acknowledges it at this moment ends before, or finds what was sent.
    if (storeKind === 'postgres') waiting = waiting.forUpdate();
    const row = await waiting.executeTakeFirst();
    if (row === undefined || row.status !== 'valid' || row.acknowledgedAt !== null) continue;
    if (!(await hasRights(tx, row.userId, [{ deviceId, right: 'manage' }]))) continue;
    const trigger = await tx
      .selectFrom('notificationTriggers')
      .select(['escalation', 'escalateAfter'])
      .where('deviceId', '=', deviceId)
      .where('id', '=', row.triggerId)
      .executeTakeFirst();
    // A trigger that is gone, or escalates no more, tells nobody else.
    if (!trigger?.escalation || trigger.escalateAfter === 0) continue;
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
    await post(tx, storeKind, await notificationPostings(tx, storeKind, policy, outgoing, subjects, now, wanted), now);
    await appendLiveEvents(tx, storeKind, notificationEvents([escalated]), now);
    sent++;
  }
  return { count: rows.length, sent };
}

/** The same with the reason why it is told again: in `message` for machines, in `meta` for the words of each reader. */
function withNews(row: StoredNotification, afterS: number): StoredNotification {
  const params = JSON.parse(row.params) as { message?: string; meta?: object };
  const message = WORDINGS.en.unacknowledged(afterS, params.message ?? '');
  const meta = { ...params.meta, unacknowledgedFor: afterS };
  return { ...row, params: JSON.stringify({ ...params, message, meta }) };
}
