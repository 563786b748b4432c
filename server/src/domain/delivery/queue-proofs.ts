import { CHANNELS } from '@trackway/contract/channels.ts';
import { DEFAULT_FORWARDED_TYPES, FORWARDED_TYPES, queue } from '@trackway/contract/resources/forwarding.ts';
import type { Selectable } from 'kysely';
import type { Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import type { SendOutcome } from '../../platform/outbox/channel.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { invalidField } from '../../refusals.ts';
import { recordAudit } from '../audit/record.ts';
import { countRows, findRow } from '../rows.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { QueueHolderRow } from '../schema/rows/sending-rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store } from '../schema/tables.ts';
import type { Forwarders } from './forwarders.ts';
import { endForOthers } from './queue-operations.ts';

const VALID_MS = 3_600_000;
/** Codes that a user can have sent in an hour: each is a message in a queue that may belong to another person. */
const MOST_CODES = 10;

/** Sends one message to a queue, whether or not it is allowed. */
export type SendProof = (arn: string, text: string) => Promise<SendOutcome>;

/** Proves that a user reads a queue: a code is sent to it and given back. */
export function queueProofOperations(
  store: Store,
  forwarders: Forwarders,
  send: SendProof,
): Handlers<'requestQueueProof' | 'proveQueue'> {
  const rows = collectionOf(store, 'queueHolders', queue);

  return {
    async requestQueueProof({ caller: { userId }, body, now }) {
      const arn = requireQueueArn(body.arn!, 'queueProof', 'arn');
      const code = randomSecret(24);
      await store.transaction(async (tx) => {
        // Locking the user's row makes calls of one user take turns, on either engine.
        await tx.updateTable('users').set({ id: userId }).where('id', '=', userId).execute();
        const count = await countRows(
          tx
            .selectFrom('queueProofs')
            .where('userId', '=', userId)
            .where('created', '>', now - VALID_MS),
        );
        if (count >= MOST_CODES)
          throw new Refusal(429, `At most ${MOST_CODES} codes can be sent to queues per hour: try again later`, {
            code: 'TOO_MANY_REQUESTS',
            headers: { 'retry-after': '600' },
          });
        await tx
          .insertInto('queueProofs')
          .values({ arn, userId, hash: fingerprint(code), created: now })
          .execute();
      });
      const about = `Someone asks Trackway to send data to this queue. If it was you, enter this code within an hour.`;
      const outcome = await send(arn, JSON.stringify({ type: 'queueProof', arn, code, about }));
      if (outcome.kind !== 'sent') throw notSent(outcome);
      return { arn, expiresAt: new Date(now + VALID_MS).toISOString() };
    },

    async proveQueue({ caller, body, now, address }) {
      const arn = requireQueueArn(body.arn!, 'queueProof', 'arn');
      const { userId, tokenId } = caller;
      return store.transaction(async (tx) => {
        const used = await tx
          .deleteFrom('queueProofs')
          .where('userId', '=', userId)
          .where('arn', '=', arn)
          .where('hash', '=', fingerprint(body.code!.trim()))
          .where('created', '>', now - VALID_MS)
          .executeTakeFirst();
        if (used.numDeletedRows === 0n)
          throw invalidField('queueProof', 'code', 'invalid', 'is wrong or has expired: request a new code');
        const before = await findRow(tx, 'queueHolders', { arn }, ['userId', 'allowed', 'provenAt']);
        const row = await tx
          .insertInto('queueHolders')
          .values({ arn, created: now, userId, allowed: null, provenAt: now })
          .onConflict((on) => on.column('arn').doUpdateSet(heldAfter(before, userId, now)))
          .returningAll()
          .executeTakeFirstOrThrow();
        const shown = rows.present(row as unknown as Row);
        await endForOthers(tx, forwarders, arn, [shown.userId, ...(shown.allowed ?? [])], now);
        await recordAudit(
          tx,
          { action: 'queue.proven', actorId: userId, tokenId, address, userId, detail: { arn } },
          now,
        );
        return shown;
      });
    },
  };
}

/** A proof counts more than a name. Where another has proven it too, both read the queue, and both may use it. */
function heldAfter(
  before: Pick<Selectable<QueueHolderRow>, 'userId' | 'allowed' | 'provenAt'> | undefined,
  userId: number,
  now: number,
) {
  if (before === undefined || before.provenAt === null) return { userId, allowed: null, provenAt: now };
  if (before.userId === userId) return { provenAt: now };
  const allowed = before.allowed === null ? [] : (JSON.parse(before.allowed) as number[]);
  return { allowed: JSON.stringify([...new Set([...allowed, userId])]) };
}

function notSent(outcome: Exclude<SendOutcome, { kind: 'sent' }>): Refusal {
  if (outcome.kind === 'down' || outcome.kind === 'later')
    return new Refusal(503, outcome.reason, { headers: { 'retry-after': '30' } });
  return invalidField('queueProof', 'arn', 'unreachable', `cannot be verified: ${outcome.reason}`);
}

export const forgetQueueProofs = (store: Store, now: number) =>
  forgetOld(store, 'queueProofs', 'created', now - VALID_MS);

export function requireQueueArn(sent: string, context = 'forwarding', field = 'sqsArn'): string {
  const { pattern, wrong } = CHANNELS.sqs.addressForm;
  if (!pattern.test(sent)) throw invalidField(context, field, 'format', wrong);
  return sent;
}

/** A JSON array or a comma list of what to forward, each once. */
export function forwardedTypes(sent: string | readonly string[] | null | undefined): string[] {
  if (sent === undefined || sent === null || sent === '') return [...DEFAULT_FORWARDED_TYPES];
  const types = typeof sent === 'string' ? namesIn(sent) : sent;
  for (const type of types) {
    if (!(FORWARDED_TYPES as readonly string[]).includes(type)) {
      throw invalidField(
        'forwarding',
        'types',
        'inclusion',
        `contains ${JSON.stringify(type).slice(0, 60)}, which is not one of ${FORWARDED_TYPES.join(', ')}`,
      );
    }
  }
  if (types.length === 0)
    throw invalidField('forwarding', 'types', 'presence', `must name at least one of ${FORWARDED_TYPES.join(', ')}`);
  return FORWARDED_TYPES.filter((type) => types.includes(type));
}

function namesIn(sent: string): string[] {
  if (!sent.trim().startsWith('[')) return sent.split(',').map((name) => name.trim());
  try {
    return JSON.parse(sent) as string[];
  } catch {
    throw invalidField('forwarding', 'types', 'format', 'is neither a JSON array nor a comma-separated list');
  }
}
