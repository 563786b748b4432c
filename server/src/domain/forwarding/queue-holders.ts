import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Who asks to send to a queue. */
export interface Asking {
  readonly userId: number;
  readonly isAdmin: boolean;
}

const HELD = 'is held by another account; an admin can allow you to use it';

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
  if (isAdmin || held === undefined || held.userId === userId) return undefined;
  const allowed = held.allowed ? (JSON.parse(held.allowed) as number[]) : [];
  return allowed.includes(userId) ? undefined : HELD;
}
