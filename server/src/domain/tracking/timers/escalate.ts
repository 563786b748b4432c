import { WORDINGS } from '@trackway/contract/wording/wordings.ts';
import type { Kysely } from 'kysely';
import { post } from '../../../platform/outbox/post.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
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

interface Escalation {
  readonly deviceId: number;
  readonly notificationId: number;
}

/**
 * Tells others of what nobody has acknowledged in time. What was retracted or acknowledged meanwhile is not sent.
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
    for (const one of due)
      if (await store.transaction((tx) => escalate(tx, store.storeKind, policy, one, now))) isSent = true;
    if (due.length < AT_ONCE) return isSent;
  }
}

/** Whoever takes the row away sends it in the same transaction, so it is sent once, by whichever process. */
async function escalate(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
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
  let waiting = tx
    .selectFrom('notifications')
    .selectAll()
    .where('deviceId', '=', deviceId)
    .where('id', '=', notificationId);
  // Whoever retracts or acknowledges it at this moment ends before, or finds what was sent.
  if (storeKind === 'postgres') waiting = waiting.forUpdate();
  const row = await waiting.executeTakeFirst();
  if (row === undefined || row.status !== 'valid' || row.acknowledgedAt !== null) return false;
  if (!(await hasRights(tx, row.userId, [{ deviceId, right: 'manage' }]))) return false;
  const trigger = await tx
    .selectFrom('notificationTriggers')
    .select(['escalation', 'escalateAfter'])
    .where('deviceId', '=', deviceId)
    .where('id', '=', row.triggerId)
    .executeTakeFirst();
  // A trigger that is gone, or escalates no more, tells nobody else.
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
  await post(tx, storeKind, await notificationPostings(tx, storeKind, policy, outgoing, subjects, now, wanted), now);
  await appendLiveEvents(tx, storeKind, notificationEvents([escalated]), now);
  return true;
}

/** The same with the reason why it is told again: in `message` for machines, in `meta` for the words of each reader. */
function withNews(row: StoredNotification, afterS: number): StoredNotification {
  const params = JSON.parse(row.params) as { message?: string; meta?: object };
  const message = WORDINGS.en.unacknowledged(afterS, params.message ?? '');
  const meta = { ...params.meta, unacknowledgedFor: afterS };
  return { ...row, params: JSON.stringify({ ...params, message, meta }) };
}
