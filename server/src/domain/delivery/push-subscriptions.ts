import type { AuditAction } from '@trackway/contract/audit.ts';
import {
  type pushSubscriptionOperations as contract,
  MOST_SUBSCRIPTIONS,
  pushSubscription,
} from '@trackway/contract/resources/push-subscription.ts';
import { sql } from 'kysely';
import type { Call, Handlers } from '../../calls.ts';
import { because } from '../../platform/because.ts';
import { destinationsFor } from '../../platform/outbox/destinations.ts';
import type { Vault } from '../../platform/vault.ts';
import { invalidField } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { children, familyOf, listOf, rowOf } from '../family.ts';
import { findRow } from '../rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { switchOn } from './forwarders.ts';
import type { CheckTarget } from './targets.ts';

/** Lengths of the keys, in bytes: a point of the curve P-256, and a secret. */
const POINT_BYTES = 65;
const SECRET_BYTES = 16;

export function pushSubscriptionOperations(
  store: Store,
  check: CheckTarget,
  vault: Vault,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'pushSubscriptions', pushSubscription);
  const family = familyOf('pushSubscription', rows, (call) => children('userId', call.userId));

  return {
    listPushSubscriptions: (call) => listOf(family, call),
    async deletePushSubscription(call) {
      const { endpoint, agent } = await rowOf(family, call);
      await store.transaction(async (tx) => {
        await rows.remove(call.key, tx);
        await cancelWaiting(tx, call.userId, endpoint as string, call.now);
        await record(tx, call, 'pushSubscription.deleted', agent as string | null);
      });
    },

    async createPushSubscription(call) {
      const { userId, body, now } = call;
      const { endpoint, agent, keys } = body as {
        endpoint: string;
        agent?: string | null;
        keys: { p256dh?: string; auth?: string };
      };
      const wrong = check(endpoint);
      if (wrong) throw invalidField('pushSubscription', 'endpoint', 'format', wrong);
      const stored = { p256dh: requireKey(keys, 'p256dh', POINT_BYTES), auth: requireKey(keys, 'auth', SECRET_BYTES) };
      return store.transaction(async (tx) => {
        // A browser has one subscription, for any signed-in user.
        const [before] = await tx
          .deleteFrom('pushSubscriptions')
          .where('endpoint', '=', endpoint)
          .returning('userId')
          .execute();
        if (before && before.userId !== userId) await cancelWaiting(tx, before.userId, endpoint, now);
        const own = await tx.selectFrom('pushSubscriptions').select('id').where('userId', '=', userId).execute();
        if (own.length >= MOST_SUBSCRIPTIONS) {
          const message = `exceeds the limit of ${own.length} browsers: unsubscribe one first`;
          throw invalidField('pushSubscription', 'endpoint', 'tooMany', message);
        }
        const row = await tx
          .insertInto('pushSubscriptions')
          .values({ userId, endpoint, agent: agent ?? null, keys: sealedKeys(vault, endpoint, stored), created: now })
          .returningAll()
          .executeTakeFirstOrThrow();
        const address = { kind: 'push', target: endpoint, ownerId: userId };
        for (const id of (await destinationsFor(tx, [address], now)).values()) await switchOn(tx, id);
        await record(tx, call, 'pushSubscription.created', agent ?? null);
        return rows.present(row);
      });
    },
  };
}

/** Messages for a browser contain its encrypted keys; the channel that sends them decrypts them. */
const sealedKeys = (vault: Vault, endpoint: string, keys: object) =>
  JSON.stringify(vault.seal(JSON.stringify(keys), `pushSubscriptions.keys:${endpoint}`));

const record = (tx: Tx, call: Call, action: AuditAction, agent: string | null) =>
  recordAudit(tx, { action, ...byCaller(call), userId: call.userId, detail: { agent } }, call.now);

/** A browser that a user has left shows nothing more of theirs. */
async function cancelWaiting(tx: Tx, userId: number, endpoint: string, now: number): Promise<void> {
  const destination = await findRow(tx, 'destinations', { kind: 'push', target: endpoint, userId }, ['id']);
  if (destination === undefined) return;
  const ended = { state: 'cancelled', ...because('browserUnsubscribed'), ended: now } as const;
  // Spelled as the indexes on them are.
  for (const isWaiting of [sql<boolean>`"state" = 'queued'`, sql<boolean>`"state" = 'held'`])
    await tx
      .updateTable('outbox')
      .set(ended)
      .where(isWaiting)
      .where('userId', '=', userId)
      .where('destinationId', '=', destination.id)
      .execute();
}

function requireKey(keys: Readonly<Record<string, unknown>>, name: string, bytes: number): string {
  const key = keys[name];
  if (typeof key === 'string' && /^[A-Za-z0-9_+/-]+=*$/.test(key) && Buffer.from(key, 'base64url').length === bytes)
    return key;
  throw invalidField('pushSubscription', 'keys', 'format', `${name} must be ${bytes} bytes in base64url`);
}

/** Deletes the subscriptions of browsers that the push service has reported as gone. */
export async function forgetGoneBrowsers(store: Store): Promise<void> {
  await store.query
    .deleteFrom('pushSubscriptions')
    .where((when) =>
      when.exists(
        when
          .selectFrom('destinations as d')
          .select('d.id')
          .where('d.kind', '=', 'push')
          .where('d.state', '=', 'off')
          .whereRef('d.target', '=', 'pushSubscriptions.endpoint')
          .whereRef('d.userId', '=', 'pushSubscriptions.userId'),
      ),
    )
    .execute();
}

/** A browser that is gone never comes back to its address, so what waits for it is given up at once. */
export async function giveUpGoneBrowsers(store: Store, now: number): Promise<void> {
  await store.query
    .updateTable('outbox')
    .set({ state: 'dead', ...because('browserGone'), ended: now })
    .where('state', '=', 'queued')
    .where('destinationId', 'in', (of) =>
      of.selectFrom('destinations').select('id').where('kind', '=', 'push').where('state', '=', 'off'),
    )
    .execute();
}
