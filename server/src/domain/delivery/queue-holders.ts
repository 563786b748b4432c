import { UNPROVEN_QUEUE } from '@trackway/contract/queue-arn.ts';
import { actsAsAdmin } from '../rights.ts';
import { findRow } from '../rows.ts';
import type { Tx } from '../schema/tables.ts';

/** The user who wants to send to a queue. */
export interface Asking {
  readonly userId: number;
  readonly isAdmin: boolean;
}

export const HELD = 'belongs to another account: verify that it is yours, or ask an admin to allow you to use it';

export const UNPROVEN = `${UNPROVEN_QUEUE}. Request a code (POST /queues/proofs) and confirm it, or ask the operator to allow the queue in TRACKWAY_SQS_ALLOW.`;

/**
 * The operator's credentials reach many queues, so the user who proves ownership of a queue holds it. Entering a queue
 * without proof does not block other users, and nothing is sent without proof: see `queueRight`. Returns the end of a
 * sentence that explains why the user may not use it; undefined if allowed.
 * @param mayClaim whether a queue without a claim is claimed here, instead of when the message is relayed
 */
export async function holdQueue(
  on: Tx,
  arn: string,
  { userId, isAdmin }: Asking,
  now: number,
  mayClaim = true,
): Promise<string | undefined> {
  const find = () => findRow(on, 'queueHolders', { arn }, ['userId', 'allowed', 'provenAt']);
  let held = await find();
  if (held === undefined && mayClaim) {
    await on
      .insertInto('queueHolders')
      .values({ arn, userId, allowed: null, created: now, provenAt: isAdmin ? now : null })
      .onConflict((conflict) => conflict.column('arn').doNothing())
      .execute();
    held = await find();
  }
  return isAdmin || !held?.provenAt || isUsedBy(held, userId) ? undefined : HELD;
}

function isUsedBy(held: { readonly userId: number; readonly allowed: string | null }, userId: number): boolean {
  return held.userId === userId || (held.allowed !== null && (JSON.parse(held.allowed) as number[]).includes(userId));
}

/** Destinations of a user that lead to queues they may not use any more. */
export async function lostQueues(on: Tx, { userId, isAdmin }: Asking): Promise<number[]> {
  if (isAdmin) return [];
  const held = await on
    .selectFrom('destinations as d')
    .innerJoin('queueHolders as h', 'h.arn', 'd.target')
    .select(['d.id', 'h.userId', 'h.allowed'])
    .where('d.userId', '=', userId)
    .where('d.kind', '=', 'sqs')
    .where('h.userId', '!=', userId)
    .where('h.provenAt', 'is not', null)
    .execute();
  return held.filter((one) => !isUsedBy(one, userId)).map(({ id }) => id);
}

/**
 * What a user has on a queue: it is `proven` to be theirs, an admin has allowed it, or they are one; they have only
 * `named` it; or it is `held` by another.
 */
type QueueRight = 'proven' | 'named' | 'held';

/** Asked at each send, for the user of a destination: rights end at any time. */
export async function queueRight(on: Tx, destinationId: number): Promise<QueueRight> {
  const row = await on
    .selectFrom('destinations as d')
    .leftJoin('queueHolders as h', 'h.arn', 'd.target')
    .leftJoin('users as u', 'u.id', 'd.userId')
    .select(['d.userId', 'h.userId as holderId', 'h.allowed', 'h.provenAt'])
    .select(actsAsAdmin('u').as('isAdmin'))
    .where('d.id', '=', destinationId)
    .executeTakeFirst();
  if (row === undefined || row.userId === null) return 'named';
  if (row.isAdmin) return 'proven';
  if (row.holderId === null) return 'named';
  if (!isUsedBy({ userId: row.holderId, allowed: row.allowed }, row.userId)) return 'held';
  return row.provenAt === null ? 'named' : 'proven';
}
