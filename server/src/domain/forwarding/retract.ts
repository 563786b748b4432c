import type { Kysely } from 'kysely';
import type { Posting } from '../../platform/outbox/post.ts';
import type { Tables } from '../schema/tables.ts';
import { forwarded } from './forwardings.ts';
import type { Outgoing } from './outgoing.ts';
import { presentNotification } from './presented.ts';
import type { Subjects } from './subjects.ts';

const AT_ONCE = 500;

/**
 * What was not sent yet of notifications that did not happen is cancelled. Forwarders that ask for it are told of those
 * that were.
 */
export async function corrections(
  tx: Kysely<Tables>,
  outgoing: readonly Outgoing[],
  subjects: Subjects,
  now: number,
): Promise<Posting[]> {
  const postings: Posting[] = [];
  for (const { deviceId, forwarders, retracted = [] } of outgoing) {
    const { name: _, ...device } = subjects.device(deviceId);
    for (let start = 0; start < retracted.length; start += AT_ONCE) {
      const some = retracted.slice(start, start + AT_ONCE);
      const unsent = await cancel(tx, some, now);
      const told = forwarders.filter(({ wantsCorrections, types }) => wantsCorrections && types.has('notification'));
      if (told.length === 0) continue;
      // Who was muted was never told of it.
      const valid = some.filter(({ status }) => status === 'valid').map(({ id }) => id);
      if (valid.length === 0) continue;
      const rows = await tx.selectFrom('notifications').selectAll().where('id', 'in', valid).orderBy('id').execute();
      for (const row of rows)
        for (const forwarder of told) {
          if (forwarder.userId !== row.userId || unsent.has(`${row.id} ${forwarder.id}`)) continue;
          const correction = { status: 'retracted', reason: row.reason ?? '' };
          const message = { notification: presentNotification(row), correction, device };
          postings.push(forwarded(forwarder, deviceId, 'correction', message, now, row.id));
        }
    }
  }
  return postings;
}

/** Answers which forwarders were thereby spared the notification, as `notification forwarder`. */
async function cancel(
  tx: Kysely<Tables>,
  retracted: NonNullable<Outgoing['retracted']>,
  now: number,
): Promise<Set<string>> {
  const unsent = new Set<string>();
  const reason = retracted[0]!.reason;
  const rows = await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', reason: `retracted: ${reason}`, ended: now })
    .where(
      'notificationId',
      'in',
      retracted.map(({ id }) => id),
    )
    .where('state', 'in', ['queued', 'held'])
    .returning(['notificationId', 'forwarderId'])
    .execute();
  for (const { notificationId, forwarderId } of rows) if (forwarderId) unsent.add(`${notificationId} ${forwarderId}`);
  return unsent;
}
