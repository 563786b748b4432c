import type { ReportRecipient } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import type { Person } from '../delivery/people.ts';
import { isOverLimit, overLimit, ownOrNot, whyNotMailed } from '../delivery/recipients.ts';
import type { SendingPolicy } from '../delivery/sending-policy.ts';
import { findRow } from '../rows.ts';
import type { SavedReportRow } from '../schema/rows/fleet-tool-rows.ts';
import type { Tx } from '../schema/tables.ts';
import { isRefused } from '../users/account-letters.ts';

/**
 * Who gets a report by mail. Users of this server with a confirmed address need not be asked; all other addresses are,
 * as for notifications. Each mail has a link that stops the reports of its user.
 */

export const addressesOf = ({ recipients }: Pick<SavedReportRow, 'recipients'>, { email }: Pick<Person, 'email'>) =>
  recipients === null ? [email] : [...new Set((JSON.parse(recipients) as string[]).map(ownOrNot))];

/** Why a report is not mailed to an address now; undefined if it is. An address that was not asked yet is asked. */
export async function whyNotReported(
  tx: Tx,
  policy: SendingPolicy,
  person: Person,
  address: string,
  now: number,
): Promise<string | undefined> {
  if (address === person.email && !person.isConfirmed) return 'the e-mail address of the account is not confirmed';
  if (await isRefused(tx, address)) return `${address} has declined e-mail from this server`;
  if ((await recipientRow(tx, person.id, address))?.reportsStoppedAt) return `${address} stopped your reports`;
  if (address === person.email) return undefined;
  if (await isConfirmedUser(tx, address))
    return (await isOverLimit(tx, policy.mail, person, now)) ? overLimit(policy.mail).reason : undefined;
  return (await whyNotMailed(tx, policy, person, address, now))?.reason;
}

export async function recipientState(tx: Tx, person: Person, address: string): Promise<ReportRecipient['state']> {
  const row = await recipientRow(tx, person.id, address);
  if (row?.reportsStoppedAt || (await isRefused(tx, address))) return 'declined';
  if (address === person.email) return person.isConfirmed ? 'confirmed' : 'notAsked';
  if (row?.confirmed || (await isConfirmedUser(tx, address))) return 'confirmed';
  return row === undefined ? 'notAsked' : 'waiting';
}

/** The row of an address, which the link to stop names. */
export async function recipientId(tx: Tx, userId: number, address: string, now: number): Promise<number> {
  const known = await recipientRow(tx, userId, address);
  if (known !== undefined) return known.id;
  const { id } = await tx
    .insertInto('mailRecipients')
    .values({ userId, address, confirmed: null, reportsStoppedAt: null, created: now })
    .onConflict((on) => on.columns(['userId', 'address']).doUpdateSet({ created: now }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const recipientRow = (tx: Tx, userId: number, address: string) =>
  findRow(tx, 'mailRecipients', { userId, address }, ['id', 'confirmed', 'reportsStoppedAt']);

async function isConfirmedUser(tx: Tx, address: string): Promise<boolean> {
  const user = await findRow(tx, 'users', { email: address }, ['emailConfirmedAt']);
  return user !== undefined && user.emailConfirmedAt !== null;
}
