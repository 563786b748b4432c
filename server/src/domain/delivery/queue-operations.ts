import { queue } from '@trackway/contract/resources/forwarding.ts';
import { sql } from 'kysely';
import type { Handlers } from '../../calls.ts';
import { because } from '../../platform/because.ts';
import { invalidField, modelNotFound } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { familyOf, listOf, refuseMoved } from '../family.ts';
import { actsAsAdmin } from '../rights.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import type { Forwarders } from './forwarders.ts';

/** Whose the queues are: for admins, who may let others use them. */
export function queueOperations(store: Store, forwarders: Forwarders): Handlers<'listQueues' | 'updateQueue'> {
  const rows = collectionOf(store, 'queueHolders', queue);
  const everything = { sql: '1 = 1', cells: [] };
  const family = familyOf('queue', rows, () => everything);

  async function requireUsers(field: string, ids: readonly number[]): Promise<void> {
    const wanted = [...new Set(ids)];
    if (wanted.length === 0) return;
    const found = await store.query.selectFrom('users').select('id').where('id', 'in', wanted).execute();
    const missing = wanted.find((id) => !found.some((user) => user.id === id));
    if (missing !== undefined)
      throw invalidField('queue', field, 'unknown', `names no user of this server: ${missing}`);
  }

  return {
    listQueues: (call) => listOf(family, call),

    async updateQueue(call) {
      const values = call.body;
      refuseMoved(call.sent, { id: call.key });
      if ((await rows.find(everything, call.key)) === undefined) throw modelNotFound('queue', call.key);
      if (values.userId) await requireUsers('userId', [values.userId]);
      if (values.allowed) await requireUsers('allowed', values.allowed);
      return store.transaction(async (tx) => {
        // An admin's word counts as much as a proof.
        await tx.updateTable('queueHolders').set({ provenAt: call.now }).where('id', '=', call.key).execute();
        const row = await rows.update(call.key, values, tx);
        if (row === undefined) throw modelNotFound('queue', call.key);
        const shown = rows.present(row);
        await endForOthers(tx, forwarders, shown.arn, [shown.userId, ...(shown.allowed ?? [])], call.now);
        const detail = { id: call.key, arn: shown.arn, userId: shown.userId, allowed: shown.allowed };
        const entry = { action: 'queue.updated', ...byCaller(call), userId: shown.userId, detail } as const;
        await recordAudit(tx, entry, call.now);
        return shown;
      });
    },
  };
}

const notAnAdmin = sql<boolean>`NOT ${actsAsAdmin('u')}`;

/** From now on only these users and admins forward to a queue. */
export async function endForOthers(
  tx: Tx,
  forwarders: Forwarders,
  arn: string,
  users: readonly number[],
  now: number,
): Promise<void> {
  const using = await tx
    .selectFrom('forwarders as f')
    .innerJoin('users as u', 'u.id', 'f.userId')
    .select(['f.id', 'f.deviceId', 'f.userId'])
    .where('f.kind', '=', 'sqs')
    .where('f.target', '=', arn)
    .where('f.active', '=', 1)
    .where(notAnAdmin)
    .execute();
  for (const { id, deviceId, userId } of using)
    if (!users.includes(userId)) await forwarders.change(tx, id, deviceId, { active: 0 });
  await cancelForOthers(tx, arn, users, now);
}

/** Pending messages for the queue are sent only for users who may use it. */
async function cancelForOthers(tx: Tx, arn: string, users: readonly number[], now: number): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', ...because('queueOfOther'), ended: now })
    // Spelled as the index on it is.
    .where(sql<boolean>`"state" = 'queued'`)
    .where('destinationId', 'in', (of) =>
      of
        .selectFrom('destinations as d')
        .innerJoin('users as u', 'u.id', 'd.userId')
        .select('d.id')
        .where('d.kind', '=', 'sqs')
        .where('d.target', '=', arn)
        .where(notAnAdmin)
        .where('u.id', 'not in', [...users]),
    )
    .execute();
}
