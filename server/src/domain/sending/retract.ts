import type { Kysely } from 'kysely';
import type { Posting } from '../../platform/outbox/post.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { Tables } from '../schema/tables.ts';
import { sentNotification } from './envelopes/presented.ts';
import type { Subjects } from './envelopes/subjects.ts';
import { forwardOne } from './forwarders/forward.ts';
import { carryDevice } from './outgoing/carry.ts';
import type { PostingStore } from './outgoing/stage.ts';
import type { ToSend } from './to-send.ts';

const AT_ONCE = 500;

/**
 * Cancels what was not sent yet of retracted notifications. For those that were sent, forwarders that ask for it send a
 * correction.
 */
export async function retractionPostings(
  tx: Kysely<Tables>,
  { storeKind, groupOfSlot }: PostingStore,
  outgoing: readonly ToSend[],
  subjects: Subjects,
  now: number,
): Promise<Posting[]> {
  const postings: Posting[] = [];
  for (const { deviceId, forwarders, retracted = [] } of outgoing) {
    const { name: _, ...device } = subjects.device(deviceId);
    // What is staged could not be cancelled: it comes into the outbox first, though that is a commit of two phases.
    if (groupOfSlot !== undefined && retracted.length > 0) await carryDevice(tx, storeKind, deviceId, now);
    for (let start = 0; start < retracted.length; start += AT_ONCE) {
      const some = retracted.slice(start, start + AT_ONCE);
      const unsent = await cancel(tx, storeKind, deviceId, some, now);
      const correcting = forwarders.filter(
        ({ wantsCorrections, types }) => wantsCorrections && types.has('notification'),
      );
      if (correcting.length === 0) continue;
      // What was muted was never sent.
      const valid = some.filter(({ status }) => status === 'valid').map(({ id }) => id);
      if (valid.length === 0) continue;
      const rows = await tx
        .selectFrom('notifications')
        .selectAll()
        .where('deviceId', '=', deviceId)
        .where('id', 'in', valid)
        .orderBy('id')
        .execute();
      for (const row of rows)
        for (const forwarder of correcting) {
          if (forwarder.userId !== row.userId || unsent.has(`${row.id} ${forwarder.id}`)) continue;
          const correction = { status: 'retracted', reason: row.reason ?? '' };
          const message = { notification: sentNotification(row), correction, device };
          postings.push(forwardOne(forwarder, deviceId, 'correction', message, now, row.id));
        }
    }
  }
  return postings;
}

/** Answers which forwarders have not sent the notification, as `notification forwarder`. */
async function cancel(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  deviceId: number,
  retracted: NonNullable<ToSend['retracted']>,
  now: number,
): Promise<Set<string>> {
  const unsent = new Set<string>();
  const reason = retracted[0]!.reason;
  let waiting = tx
    .selectFrom('outbox')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where(
      'notificationId',
      'in',
      retracted.map(({ id }) => id),
    )
    .where('state', 'in', ['queued', 'held'])
    .orderBy('nextAt')
    .orderBy('id');
  // In the order in which digests take them, so that neither waits for the other for ever.
  if (storeKind === 'postgres') waiting = waiting.forUpdate();
  const ids = (await waiting.execute()).map(({ id }) => id);
  if (ids.length === 0) return unsent;
  const rows = await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', reason: `Retracted: ${reason}`, ended: now })
    .where('deviceId', '=', deviceId)
    .where('id', 'in', ids)
    .returning(['notificationId', 'forwarderId'])
    .execute();
  for (const { notificationId, forwarderId } of rows) if (forwarderId) unsent.add(`${notificationId} ${forwarderId}`);
  return unsent;
}
