import { user as userNoun } from '@trackway/contract/resources/accounts/user.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import type { OpenidClaims, OpenidProblem, Visitor } from '../../sign-in.ts';
import { recordAudit } from '../audit/record.ts';
import { findRow } from '../rows.ts';
import type { UserRow } from '../schema/rows/account-rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import type { AddressFollower } from './confirmations.ts';

export interface OpenidUserOptions {
  /** Domains of addresses that may sign in, such as `example.com`; empty for all. */
  readonly domains: readonly string[];
  readonly createsUsers: boolean;
  /** Called when an account is made with an address that the provider has verified. */
  readonly addressConfirmed?: AddressFollower;
}

type Found = { readonly userId: number } | { readonly problem: OpenidProblem };

/**
 * The user that a provider identifies. A known issuer and subject identify the user, even if the address has changed.
 * Otherwise the user is found by an address that the provider has verified.
 */
export async function userOfClaims(
  store: Store,
  claims: OpenidClaims,
  options: OpenidUserOptions,
  visitor: Visitor,
): Promise<Found> {
  try {
    return await store.transaction((tx) => find(store, tx, claims, options, visitor));
  } catch (error) {
    // Two sign-ins of the same person at once: the other one has made the account by now.
    if (!(error instanceof NotUnique)) throw error;
    return store.transaction((tx) => find(store, tx, claims, options, visitor));
  }
}

async function find(
  store: Store,
  tx: Tx,
  claims: OpenidClaims,
  options: OpenidUserOptions,
  visitor: Visitor,
): Promise<Found> {
  const { issuer, subject } = claims;
  const linked = await findRow(tx, 'openidAccounts', { issuer, subject }, ['userId']);
  if (linked) return linked;
  const email = claims.email?.trim().toLowerCase();
  if (email === undefined || !claims.isVerified || !/^[^\s@]+@[^\s@]+$/.test(email)) return { problem: 'unverified' };
  const domain = email.slice(email.indexOf('@') + 1);
  if (options.domains.length > 0 && !options.domains.includes(domain)) return { problem: 'domain' };
  const known = await tx.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
  if (known && known.kind !== 'person') return { problem: 'unknown' };
  // Otherwise a person who entered another person's address in an account would share that account with them.
  if (known && !isConfirmed(known)) return { problem: 'unconfirmed' };
  if (!known && !options.createsUsers) return { problem: 'unknown' };
  const userId = known?.id ?? (await create(store, tx, email, claims.name, visitor.now));
  if (!known) await options.addressConfirmed?.(tx, { userId, email }, visitor.now);
  await tx.insertInto('openidAccounts').values({ issuer, subject, userId, created: visitor.now }).execute();
  const detail = { issuer, created: known === undefined };
  const entry = { action: 'openid.linked', actorId: userId, userId, address: visitor.address, detail } as const;
  await recordAudit(tx, entry, visitor.now);
  return { userId };
}

/** Whether the address of an account is known to be its user's. */
const isConfirmed = (user: Pick<UserRow, 'emailConfirmedAt'>) => user.emailConfirmedAt !== null;

/** A user who signs in at a provider has no password. */
async function create(store: Store, tx: Tx, email: string, name: string | undefined, now: number): Promise<number> {
  const rows = collectionOf(store, 'users', userNoun);
  const values = { email, name: name?.slice(0, 200) ?? null, admin: false, created: now, emailConfirmedAt: now };
  return (await rows.insert(values, tx, { passwordHash: '' })).id as number;
}
