import { CHANNELS } from '@trackway/contract/channels.ts';
import { invalidField } from '../../refusals.ts';
import { findRow, getRow } from '../rows.ts';
import type { Tx } from '../schema/tables.ts';
import {
  type AccountMailer,
  accountLetters,
  isRefused,
  linkTo,
  NO_MAIL,
  postMail,
  type SharedThing,
  tooManyMails,
} from '../users/account-letters.ts';
import { invite } from '../users/invite.ts';
import { addressesReached, DAY_MS, mailingsTo, noteMailing } from '../users/mailings.ts';

/** What sharing with an address does. It is the same for every caller, whether or not the address has an account. */

export interface SharePolicy {
  readonly mailer: AccountMailer;
  /** With how many new addresses a user may share a day; 0 = any number. */
  readonly newAddressesPerDay: number;
  /** Whether people without an account may create one because something is shared with them. */
  readonly isInviting: boolean;
}

/** Sends no mail. */
export const QUIET_SHARING: SharePolicy = { mailer: NO_MAIL, newAddressesPerDay: 0, isInviting: false };

interface SharedTo<Thing extends SharedThing = SharedThing> {
  readonly email: string;
  readonly by: { readonly userId: number; readonly admin: boolean };
  readonly thing: Thing;
}

/** An address in the form for storing and comparing. */
export function addressIn(context: string, sent: string): string {
  const address = sent.trim().toLowerCase();
  const { pattern, wrong } = CHANNELS.email.addressForm;
  if (!pattern.test(address)) throw invalidField(context, 'email', 'format', wrong);
  return address;
}

/** Over all users who share with it. */
const MAILS_TO_ADDRESS_A_DAY = 5;

/** Refuses to share with more new addresses; asked before the grant is stored. */
export async function countNewAddress(
  tx: Tx,
  { newAddressesPerDay: most }: SharePolicy,
  { email: address, by: { userId, admin } }: SharedTo,
  now: number,
): Promise<void> {
  if (admin || most === 0) return;
  const known = await tx
    .selectFrom('shareGrants as g')
    .innerJoin('devices as d', 'd.id', 'g.deviceId')
    .select('g.id')
    .where('d.ownerId', '=', userId)
    .where('g.email', '=', address)
    .limit(1)
    .executeTakeFirst();
  const ofList = await findRow(tx, 'grants', { grantedBy: userId, email: address }, ['id']);
  const ofGroup = await tx
    .selectFrom('grants as x')
    .innerJoin('deviceGroups as o', 'o.id', 'x.groupId')
    .select('x.id')
    .where('o.ownerId', '=', userId)
    .where('x.email', '=', address)
    .limit(1)
    .executeTakeFirst();
  const since = now - DAY_MS;
  if (
    known !== undefined ||
    ofList !== undefined ||
    ofGroup !== undefined ||
    (await mailingsTo(tx, { kind: 'share', address, userId }, since)) > 0
  )
    return;
  const { count, first } = await addressesReached(tx, { kind: 'share', userId }, since);
  if (count >= most)
    throw tooManyMails(
      `The limit of ${most} new addresses within 24 hours is reached. Try again later, or ask an admin to share it.`,
      'TOO_MANY_NEW_ADDRESSES',
      first + DAY_MS - now,
    );
  await noteMailing(tx, { kind: 'share', userId, address }, now);
}

/** Tells the address, at most once a day for each user who shares with it. */
export async function mailShare(
  tx: Tx,
  { mailer, isInviting }: SharePolicy,
  { email: address, thing, by: { userId } }: SharedTo,
  now: number,
): Promise<void> {
  if (mailer.missing !== undefined || (await isRefused(tx, address))) return;
  const since = now - DAY_MS;
  const kind = 'shareMail';
  if ((await mailingsTo(tx, { kind, address, userId }, since)) > 0) return;
  if ((await mailingsTo(tx, { kind, address }, since)) >= MAILS_TO_ADDRESS_A_DAY) return;
  const { email: from, language } = await getRow(tx, 'users', { id: userId }, ['email', 'language']);
  const shared = { from, thing };
  const account = await findRow(tx, 'users', { email: address }, ['language']);
  // A person without an account most likely reads the language of the user who shares with them.
  const letters = accountLetters((account ?? { language }).language ?? 'en');
  const content =
    account !== undefined
      ? letters.shared(shared, linkTo(mailer, '/'))
      : letters.sharedInvitation(shared, isInviting ? await invitationLink() : undefined);
  await noteMailing(tx, { kind, userId, address }, now);
  await postMail(tx, { userId, address, content, seal: mailer.seal }, now);

  async function invitationLink(): Promise<string> {
    const { token } = await invite(tx, { email: address, origin: 'share', invitedBy: userId }, now);
    return linkTo(mailer, '/invitation', token);
  }
}

/**
 * Whether the caller may know the id of a user: by a device the user shares with the caller, or because the caller
 * shares one with that id already. A share with an address reveals no id, so it does not count: otherwise ids could be
 * tried until one fits the address.
 */
export async function isKnownById(tx: Tx, callerId: number, userId: number): Promise<boolean> {
  const theirs = await tx
    .selectFrom('shares as s')
    .innerJoin('devices as d', 'd.id', 's.deviceId')
    .select('s.id')
    .where('s.userId', '=', callerId)
    .where('d.ownerId', '=', userId)
    .where('d.deletedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (theirs !== undefined) return true;
  const own = await tx
    .selectFrom('shareGrants as g')
    .innerJoin('devices as d', 'd.id', 'g.deviceId')
    .select('g.id')
    .where('g.userId', '=', userId)
    .where('d.ownerId', '=', callerId)
    .where('d.deletedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return own !== undefined;
}
