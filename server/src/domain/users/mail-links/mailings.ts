import type { Kysely } from 'kysely';
import { forgetOld } from '../../schema/forget-old.ts';
import type { MailingRow } from '../../schema/rows/mail-rows.ts';
import type { Store, Tables } from '../../schema/tables.ts';

/** Who caused mail to which address, so that nobody can make the server mail without end. */

export type MailingKind = MailingRow['what'];

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export interface Mailing {
  readonly what: MailingKind;
  readonly userId: number | null;
  readonly address: string;
}

export async function noteMailing(tx: Kysely<Tables>, mailing: Mailing, now: number): Promise<void> {
  await tx
    .insertInto('mailings')
    .values({ ...mailing, at: now })
    .execute();
}

/** How many different addresses a user reached since then, and when the first of them was. */
export async function addressesReached(
  tx: Kysely<Tables>,
  { what, userId }: Pick<Mailing, 'what'> & { readonly userId: number },
  since: number,
): Promise<{ readonly count: number; readonly first: number }> {
  const { count, first } = await tx
    .selectFrom('mailings')
    .select((of) => [of.fn.count<number>('address').distinct().as('count'), of.fn.min('at').as('first')])
    .where('userId', '=', userId)
    .where('what', '=', what)
    .where('at', '>', since)
    .executeTakeFirstOrThrow();
  return { count: Number(count), first: first ?? since };
}

/** How often an address was mailed since then, by whomever, or by one user. */
export async function mailingsTo(
  tx: Kysely<Tables>,
  { what, address, userId }: Pick<Mailing, 'what' | 'address'> & { readonly userId?: number },
  since: number,
): Promise<number> {
  let found = tx
    .selectFrom('mailings')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('address', '=', address)
    .where('what', '=', what)
    .where('at', '>', since);
  if (userId !== undefined) found = found.where('userId', '=', userId);
  return Number((await found.executeTakeFirstOrThrow()).count);
}

export const forgetOldMailings = (store: Store, now: number) => forgetOld(store, 'mailings', 'at', now - 2 * DAY_MS);
