import type { AuditAction } from '@trackway/contract/audit.ts';
import { type Channel, specOf } from '@trackway/contract/channels.ts';
import { type deliveryOperations as contract, destination } from '@trackway/contract/resources/delivery.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { Call, Handlers } from '../../calls.ts';
import { makeSecret, readable, type Secret, sealSecrets, secretsInUse } from '../../platform/outbox/destinations.ts';
import { post } from '../../platform/outbox/post.ts';
import type { Vault } from '../../platform/vault.ts';
import { accessDenied, invalidField, modelNotFound } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { children, familyOf, listOf, rowOf } from '../family.ts';
import { findRow } from '../rows.ts';
import type { DestinationRow } from '../schema/rows/sending-rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { deliveryRows } from './deliveries.ts';
import { HELD, lostQueues } from './queue-holders.ts';
import { testContent } from './test-message.ts';

type Names =
  | 'listDestinations'
  | 'getDestination'
  | 'reopenDestination'
  | 'testDelivery'
  | 'getWebhookSecret'
  | 'rotateWebhookSecret'
  | 'listAllDestinations'
  | 'reopenAnyDestination';

/** For this long messages are signed with the old secret too. */
const ROTATION_MS = 24 * 3_600_000;

/** Destinations: their state, and what a user can do about it. */
export function destinationOperations(
  store: Store,
  wake: () => void,
  vault: Vault,
): Handlers<Names & keyof typeof contract> {
  const rows = collectionOf(store, 'destinationStates', destination);
  const family = familyOf('destination', rows, (call) => children('userId', call.userId));
  const all = familyOf('destination', rows, () => ({ sql: '"id" > ?', cells: [0] }));
  const ownRow = async (call: Call) => (await rowOf(family, call)) as unknown as DestinationRow & { id: number };

  async function reopen(of: typeof family, call: Call): Promise<Shown<typeof destination>> {
    await store.transaction((tx) => tryNow(tx, call.key, call.now));
    wake();
    return rows.present(await rowOf(of, call));
  }

  return {
    listDestinations: (call) => listOf(family, call),
    listAllDestinations: (call) => listOf(all, call),
    getDestination: async (call) => rows.present(await rowOf(family, call)),

    async reopenDestination(call) {
      await ownRow(call);
      return reopen(family, call);
    },

    async reopenAnyDestination(call) {
      if ((await rows.find(all.scope(call), call.key)) === undefined) throw modelNotFound('destination', call.key);
      return reopen(all, call);
    },

    async testDelivery(call) {
      const { userId, now } = call;
      const { kind, target } = await ownRow(call);
      const lost = await lostQueues(store.query, { userId, isAdmin: call.caller.admin });
      if (lost.includes(call.key)) throw invalidField('destination', 'target', 'held', HELD);
      const { address, content } = await testContent(store, { kind, target, userId }, now);
      const deliveries = deliveryRows(store);
      const [id] = await store.transaction((tx) =>
        post(tx, [{ kind, target, ownerId: userId, userId, deviceId: null, address, what: 'test', content }], now),
      );
      wake();
      return deliveries.present((await deliveries.find(children('userId', userId), id!))!);
    },

    async getWebhookSecret(call) {
      refuseOthers(call);
      await ownRow(call);
      const [inUse] = await store.transaction(async (tx) => {
        await record(tx, call, 'webhookSecret.read');
        return secretsOf(tx, vault, call.key);
      });
      if (inUse === undefined)
        throw invalidField('destination', 'secret', 'unreadable', 'cannot be decrypted: replace it');
      return { secret: inUse.secret };
    },

    async rotateWebhookSecret(call) {
      refuseOthers(call);
      await ownRow(call);
      const secret = makeSecret();
      await store.transaction(async (tx) => {
        const [inUse] = await secretsOf(tx, vault, call.key);
        const secrets: Secret[] = [
          { secret, until: null },
          ...(inUse ? [{ secret: inUse.secret, until: call.now + ROTATION_MS }] : []),
        ];
        await tx
          .updateTable('destinations')
          .set({ secrets: sealSecrets(vault, call.key, secrets) })
          .where('id', '=', call.key)
          .execute();
        await record(tx, call, 'webhookSecret.replaced');
      });
      return { secret };
    },
  };
}

const record = (tx: Tx, call: Call, action: AuditAction) =>
  recordAudit(tx, { action, ...byCaller(call), userId: call.userId, detail: { destinationId: call.key } }, call.now);

/** The secret of a webhook lets its holder impersonate this server, so only its own user sees it. */
function refuseOthers({ caller, userId }: Call): void {
  if (caller.userId !== userId) throw accessDenied();
}

/** The one in use first; locked until the transaction ends, so that two rotations take turns. */
async function secretsOf(tx: Tx, vault: Vault, id: number): Promise<readonly Secret[]> {
  const row = await tx
    .updateTable('destinations')
    .set({ id })
    .where('id', '=', id)
    .returning(['kind', 'secrets'])
    .executeTakeFirstOrThrow();
  if (row.secrets === null || !specOf(row.kind as Channel).isSigned)
    throw invalidField('destination', 'kind', 'unsigned', `is of the kind ${row.kind}, which is not signed`);
  return readable(await secretsInUse(tx, vault, id, row.secrets));
}

/** While something waits, the oldest is tried first and alone: the destination may still be down. */
async function tryNow(tx: Tx, id: number, now: number): Promise<void> {
  const waiting = await findRow(tx, 'outbox', { destinationId: id, state: 'queued' }, ['id']);
  const health = waiting
    ? ({ state: 'down', failures: 0, nextTryAt: now } as const)
    : ({ state: 'up', failures: 0, nextTryAt: null, downSince: null } as const);
  await tx.updateTable('destinations').set(health).where('id', '=', id).where('state', '!=', 'up').execute();
}
