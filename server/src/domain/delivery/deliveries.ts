import { PEOPLE_CHANNELS } from '@trackway/contract/channels.ts';
import { type deliveryOperations as contract, delivery } from '@trackway/contract/resources/delivery.ts';
import { parseTime } from '@trackway/contract/values.ts';
import type { Call, Handlers } from '../../calls.ts';
import { because, NO_REASON } from '../../platform/because.ts';
import { PATIENCE_MS, resendRange } from '../../platform/outbox/post.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { invalidField, modelNotFound } from '../../refusals.ts';
import { isWithinToken, withinToken } from '../devices/access.ts';
import { children, countOf, familyOf, listOf, rowOf } from '../family.ts';
import { findRow } from '../rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store } from '../schema/tables.ts';
import { readPeople } from './people.ts';
import { HELD, lostQueues } from './queue-holders.ts';
import { isOwnAddress, whyNotMailed } from './recipients.ts';
import { DEFAULT_POLICY } from './sending-policy.ts';

type Names =
  | 'listDeliveries'
  | 'countDeliveries'
  | 'listNotificationDeliveries'
  | 'resendDelivery'
  | 'resendDeliveries'
  | 'cancelDelivery';

export const deliveryRows = (store: Store) =>
  collectionOf(store, 'deliveries', delivery, { indexed: ['notificationId'] });

/** What was sent, what waits, and what was given up; sent again or cancelled by hand. */
export function deliveryOperations(store: Store, wake: () => void): Handlers<Names & keyof typeof contract> {
  const rows = deliveryRows(store);
  const family = familyOf('delivery', rows, (call) =>
    withinToken(call.caller, children('userId', call.userId), 'deviceId'),
  );
  const shown = async (call: Call) => rows.present(await rowOf(family, call));

  /** Mail to others goes out once; what was not sent goes only where it is still wanted. */
  async function requireWanted({ userId, now }: Call, { channel, address, status }: Row): Promise<void> {
    if (channel !== 'email' || address === null) return;
    const person = (await readPeople(store.query, [userId])).get(userId);
    if (person === undefined || isOwnAddress(person, address as string)) return;
    const refused = (message: string) => invalidField('delivery', 'address', 'unwanted', message);
    if (status === 'sent') throw refused('is not your own: e-mail that was sent to other people cannot be resent');
    const why = await whyNotMailed(store.query, DEFAULT_POLICY, person, address as string, now);
    if (why) throw refused(`cannot be mailed: ${why.reason}`);
  }

  return {
    listDeliveries: (call) => listOf(family, call),
    countDeliveries: (call) => countOf(family, call),

    async listNotificationDeliveries(call) {
      const { caller, key } = call;
      const about = await findRow(store.query, 'notifications', { id: key }, ['userId', 'deviceId']);
      const isOthers = about !== undefined && about.userId !== caller.userId && !caller.admin;
      if (about === undefined || isOthers || !isWithinToken(caller, about.deviceId))
        throw modelNotFound('notification', key);
      return listOf(
        familyOf('delivery', rows, () => children('notificationId', key)),
        call,
      );
    },

    async resendDelivery(call) {
      const row = await rowOf(family, call);
      requireSendable(row);
      await requireWanted(call, row);
      if ((await lostQueues(store.query, askingIn(call))).includes(row.destinationId as number))
        throw invalidField('delivery', 'target', 'held', HELD);
      const again = { state: 'queued', ...NO_REASON, nextAt: call.now } as const;
      const afresh = { ...again, attempts: 0, expires: call.now + PATIENCE_MS, ended: null } as const;
      const hasEnded = row.status === 'dead' || row.status === 'sent';
      await store.query
        .updateTable('outbox')
        .set(hasEnded ? afresh : again)
        .where('id', '=', call.key)
        .where('state', '=', row.status as 'queued' | 'dead' | 'sent')
        .execute();
      wake();
      return shown(call);
    },

    async resendDeliveries(call) {
      const { from, to, destinationId, status } = call.body;
      const range = { from: parseTime(from)!, to: parseTime(to)!, destinationId, state: status ?? 'dead' };
      if (range.to <= range.from) throw invalidField('resending', 'to', 'order', 'must be after from');
      const lost = await lostQueues(store.query, askingIn(call));
      const except = range.state === 'sent' ? [...lost, ...(await mailServers(store))] : lost;
      const count = await resendRange(store, call.userId, { ...range, except }, call.now);
      if (count > 0) wake();
      return { count };
    },

    async cancelDelivery(call) {
      const row = await rowOf(family, call);
      const [cancelled] = await store.query
        .updateTable('outbox')
        .set({ state: 'cancelled', ...because('cancelledByHand'), ended: call.now })
        .where('id', '=', call.key)
        .where('state', 'in', ['queued', 'held'])
        .returning('id')
        .execute();
      if (cancelled === undefined) {
        throw invalidField('delivery', 'status', 'ended', `is ${row.status}: only queued deliveries can be cancelled`);
      }
      return shown(call);
    },
  };
}

/** All users share one mail server: a week of mail, sent again by one of them, would hold up everyone else's. */
async function mailServers(store: Store): Promise<number[]> {
  const found = await store.query
    .selectFrom('destinations')
    .select('id')
    .where('kind', 'in', PEOPLE_CHANNELS)
    .where('userId', 'is', null)
    .execute();
  return found.map(({ id }) => id);
}

const askingIn = ({ userId, caller }: Call) => ({ userId, isAdmin: caller.admin });

function requireSendable({ status, destinationId, what }: Row): void {
  if (what === 'account') throw invalidField('delivery', 'what', 'once', 'is an account e-mail: request a new one');
  if (what === 'report')
    throw invalidField('delivery', 'what', 'once', 'is a report: use "Send now" of the saved report');
  const isSendable = status === 'dead' || status === 'sent' || status === 'queued';
  if (isSendable && destinationId !== null) return;
  const why = isSendable
    ? 'has no address: it cannot be sent'
    : `is ${status}: only dead and sent deliveries can be resent`;
  throw invalidField('delivery', 'status', 'ended', why);
}
