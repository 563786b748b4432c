import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { notificationOperations as contract } from '@trackway/contract/resources/notification.ts';
import { type Kysely, sql } from 'kysely';
import type { Caller, Handlers } from '../../calls.ts';
import { modelNotFound } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { isWithinToken } from '../devices/access.ts';
import { ALL_DEVICES, appendLiveEvents } from '../live/append-live-events.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { presentNotification } from '../sending/envelopes/presented.ts';

/** What people do with notifications: read them, and say that they take care. */

type AttentionOperation = Extract<
  keyof typeof contract,
  'getUnreadNotifications' | 'readNotifications' | 'acknowledgeNotification'
>;
type Unread = AnswerOf<'getUnreadNotifications'>;

/** Nobody needs to know how many more there are. */
const MOST_COUNTED = 1000;
/** Rows that one transaction marks as read. */
const AT_ONCE = 5000;

export function attentionOperations(store: Store): Handlers<AttentionOperation> {
  return {
    getUnreadNotifications: ({ userId, caller }) => unreadOf(store.query, userId, caller),

    async readNotifications(call) {
      const { userId, caller, now } = call;
      const { ids, upTo } = call.body;
      for (;;) {
        const count = await store.transaction(async (tx) => {
          const marked = await markRead(tx, { userId, caller, ids: ids ?? [], upTo: upTo ?? 0 });
          if (marked > 0) await tellUnread(tx, store, userId, now);
          return marked;
        });
        if (count < AT_ONCE) break;
      }
      return unreadOf(store.query, userId, caller);
    },

    async acknowledgeNotification(call) {
      const { caller, key, now } = call;
      const { note } = call.body;
      return store.transaction(async (tx) => {
        const row = await tx.selectFrom('notifications').selectAll().where('id', '=', key).executeTakeFirst();
        if (
          row === undefined ||
          (row.userId !== caller.userId && !caller.admin) ||
          !isWithinToken(caller, row.deviceId)
        )
          throw modelNotFound('notification', key);
        const changes = {
          acknowledgedAt: row.acknowledgedAt ?? now,
          acknowledgedBy: row.acknowledgedBy ?? caller.userId,
          note: note ?? row.note,
          unread: 0,
        };
        await tx
          .updateTable('notifications')
          .set(changes)
          .where('deviceId', '=', row.deviceId)
          .where('id', '=', key)
          .execute();
        await endEscalation(tx, row, now);
        const detail = { notificationId: key };
        const { userId, deviceId } = row;
        await recordAudit(
          tx,
          { action: 'notification.acknowledged', ...byCaller(call), userId, deviceId, detail },
          now,
        );
        const after = presentNotification({ ...row, ...changes });
        await appendLiveEvents(tx, store.storeKind, [{ kind: 'notification', deviceId, userId, event: after }], now);
        await tellUnread(tx, store, userId, now);
        return after;
      });
    },
  };
}

/** Nobody else is told of what somebody takes care of. */
async function endEscalation(
  tx: Kysely<Tables>,
  {
    id,
    deviceId,
    escalatedAt,
  }: { readonly id: number; readonly deviceId: number; readonly escalatedAt: number | null },
  now: number,
): Promise<void> {
  await tx.deleteFrom('escalations').where('deviceId', '=', deviceId).where('notificationId', '=', id).execute();
  if (escalatedAt === null) return;
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', reason: 'Somebody has acknowledged it', ended: now })
    .where('notificationId', '=', id)
    .where('created', '>=', escalatedAt)
    .where('state', 'in', ['queued', 'held'])
    .execute();
}

interface Marked {
  readonly userId: number;
  readonly caller: Caller;
  readonly ids: readonly number[];
  readonly upTo: number;
}

async function markRead(tx: Kysely<Tables>, { userId, caller, ids, upTo }: Marked): Promise<number> {
  let wanted = tx
    .selectFrom('notifications')
    .select('id')
    .where('userId', '=', userId)
    .where('unread', '=', 1)
    .where((when) =>
      when.or([when('id', '<=', upTo), ...(ids.length > 0 ? [when('id', 'in', [...new Set(ids)])] : [])]),
    )
    .limit(AT_ONCE);
  if (caller.scope?.deviceIds !== undefined) wanted = wanted.where('deviceId', 'in', [...caller.scope.deviceIds]);
  const found = await wanted.execute();
  for (let start = 0; start < found.length; start += 500)
    await tx
      .updateTable('notifications')
      .set({ unread: 0 })
      .where(
        'id',
        'in',
        found.slice(start, start + 500).map(({ id }) => id),
      )
      .execute();
  return found.length;
}

async function unreadOf(on: Kysely<Tables>, userId: number, { scope }: Pick<Caller, 'scope'>): Promise<Unread> {
  let counted = on
    .selectFrom('notifications')
    .select('severity')
    .where('userId', '=', userId)
    .where('unread', '=', 1)
    .where('status', '=', 'valid')
    .limit(MOST_COUNTED);
  if (scope?.deviceIds !== undefined) counted = counted.where('deviceId', 'in', [...scope.deviceIds]);
  const found = await on
    .selectFrom(counted.as('n'))
    .select([
      'n.severity',
      // A number on both engines.
      sql<number>`COUNT(*)`.as('count'),
    ])
    .groupBy('n.severity')
    .execute();
  const of = (severity: string) => Number(found.find((one) => one.severity === severity)?.count ?? 0);
  const [info, warning, critical] = [of('info'), of('warning'), of('critical')];
  return { unread: info + warning + critical, critical, warning };
}

/** Tells the other pages of the user how many are unread now. */
async function tellUnread(tx: Kysely<Tables>, { storeKind }: Store, userId: number, now: number): Promise<void> {
  const event = await unreadOf(tx, userId, {});
  await appendLiveEvents(tx, storeKind, [{ kind: 'unread', deviceId: ALL_DEVICES, userId, event }], now);
}
