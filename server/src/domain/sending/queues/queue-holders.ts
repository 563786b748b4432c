import type { Kysely } from 'kysely';
import type { Tables } from '../../schema/tables.ts';

/** Who asks to send to a queue. */
export interface Asking {
  readonly userId: number;
  readonly isAdmin: boolean;
}

export const HELD = 'is held by another account; an admin can allow you to use it';

/**
 * The operator's credentials reach many queues, so the first account to use one holds it. Answers the end of a sentence
 * about why this one may not use it; undefined where they may.
 */
export async function holdQueue(
  on: Kysely<Tables>,
  arn: string,
  { userId, isAdmin }: Asking,
  now: number,
): Promise<string | undefined> {
  const find = () =>
    on.selectFrom('queueHolders').select(['userId', 'allowed']).where('arn', '=', arn).executeTakeFirst();
  let held = await find();
  if (held === undefined) {
    await on
      .insertInto('queueHolders')
      .values({ arn, userId, allowed: null, created: now })
      .onConflict((conflict) => conflict.column('arn').doNothing())
      .execute();
    held = await find();
  }
  return isAdmin || held === undefined || isUsedBy(held, userId) ? undefined : HELD;
}

function isUsedBy(held: { readonly userId: number; readonly allowed: string | null }, userId: number): boolean {
  return held.userId === userId || (held.allowed !== null && (JSON.parse(held.allowed) as number[]).includes(userId));
}

/** Destinations of a user that lead to queues they may not use any more. */
export async function lostQueues(on: Kysely<Tables>, { userId, isAdmin }: Asking): Promise<number[]> {
  if (isAdmin) return [];
  const held = await on
    .selectFrom('destinations as d')
    .innerJoin('queueHolders as h', 'h.arn', 'd.target')
    .select(['d.id', 'h.userId', 'h.allowed'])
    .where('d.userId', '=', userId)
    .where('d.kind', '=', 'sqs')
    .where('h.userId', '!=', userId)
    .execute();
  return held.filter((one) => !isUsedBy(one, userId)).map(({ id }) => id);
}
