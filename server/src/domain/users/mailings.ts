import { type RawBuilder, sql } from 'kysely';
import { countRows } from '../rows.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { AccountMailRow } from '../schema/rows/account-rows.ts';
import type { Store, Tx } from '../schema/tables.ts';

/** The user who caused mail, and its address, to limit the mail that a user can cause. */

type MailingKind = AccountMailRow['kind'];

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

interface Mailing {
  readonly kind: MailingKind;
  readonly userId: number | null;
  readonly address: string;
}

export async function noteMailing(tx: Tx, mailing: Mailing, now: number): Promise<void> {
  await tx
    .insertInto('accountMails')
    .values({ ...mailing, sentAt: now })
    .execute();
}

/** How many different addresses a user reached since then, and when the first of them was. */
export async function addressesReached(
  tx: Tx,
  { kind, userId }: Pick<Mailing, 'kind'> & { readonly userId: number },
  since: number,
): Promise<{ readonly count: number; readonly first: number }> {
  const { count, first } = await tx
    .selectFrom('accountMails')
    .select((of) => [of.fn.count<number>('address').distinct().as('count'), of.fn.min('sentAt').as('first')])
    .where('userId', '=', userId)
    .where('kind', '=', kind)
    .where('sentAt', '>', since)
    .executeTakeFirstOrThrow();
  return { count: Number(count), first: first ?? since };
}

/** How often an address was mailed since then, by anyone or by one user. */
export async function mailingsTo(
  tx: Tx,
  { kind, address, userId }: Pick<Mailing, 'kind' | 'address'> & { readonly userId?: number },
  since: number,
): Promise<number> {
  let found = tx
    .selectFrom('accountMails')
    .where('address', '=', address)
    .where('kind', '=', kind)
    .where('sentAt', '>', since);
  if (userId !== undefined) found = found.where('userId', '=', userId);
  return countRows(found);
}

export const forgetOldMailings = (store: Store, now: number) =>
  forgetOld(store, 'accountMails', 'sentAt', now - 2 * DAY_MS);

const AT_ONCE = 500;
/** Spelled as the indexes on them are. */
const READABLE = [
  sql<boolean>`"what" = 'account' AND "content" <> '{}'`,
  sql<boolean>`"what" = 'report' AND "content" <> '{}'`,
];

/**
 * Mail about accounts contains links that grant access, so its content is erased after it was sent or given up. It
 * cannot be sent again: a new mail has a new link. Reports are large and can be created again.
 */
export async function eraseSentMail(store: Store): Promise<void> {
  for (const isReadable of READABLE) await erase(store, isReadable);
}

async function erase(store: Store, isReadable: RawBuilder<boolean>): Promise<void> {
  const ended = await store.query
    .selectFrom('outbox')
    .select('id')
    .where(isReadable)
    .where('ended', 'is not', null)
    .limit(AT_ONCE)
    .execute();
  if (ended.length === 0) return;
  const ids = ended.map(({ id }) => id);
  await store.query
    .updateTable('outbox')
    .set({ content: '{}' })
    .where('id', 'in', ids)
    .where('ended', 'is not', null)
    .execute();
}
