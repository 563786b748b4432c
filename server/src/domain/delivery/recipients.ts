import { specOf } from '@trackway/contract/channels.ts';
import type { accountMailOperations } from '@trackway/contract/resources/accounts/account-mail.ts';
import type { Handlers } from '../../calls.ts';
import { type Because, because } from '../../platform/because.ts';
import { harmless } from '../../platform/harmless-text.ts';
import { CannotOpen, isSealed, type Vault } from '../../platform/vault.ts';
import { countRows, findRow } from '../rows.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { isRefused, lettersTo, linkTo, postMail } from '../users/account-letters.ts';
import { issueLink, linkEnded, readLink } from '../users/mail-links.ts';
import { addressesReached, DAY_MS, mailingsTo, noteMailing } from '../users/mailings.ts';
import { type Person, readPeople } from './people.ts';
import { DEFAULT_POLICY, type MailPolicy, type SendingPolicy } from './sending-policy.ts';
import { addressOf, channelsOf, type Wanted } from './targets.ts';

/**
 * Addresses other than a user's own get notifications by mail only after their reader has agreed, by a link in the one
 * mail that is sent without it.
 */

/** How many addresses a user may have asked within a day. */
const ASKED_A_DAY = 20;

export const ownOrNot = (address: string) => address.trim().toLowerCase();

export const isOwnAddress = (person: Pick<Person, 'email' | 'isConfirmed'>, address: string) =>
  person.isConfirmed && ownOrNot(address) === person.email;

type Asking = Pick<Person, 'id' | 'email' | 'isConfirmed'>;

/** An address that has yet to be asked whether it may be mailed, once the report that needs it is stored. */
export interface RecipientToAsk {
  readonly userId: number;
  readonly address: string;
  readonly publicUrl: string;
}

/**
 * Why no mail is sent to an address for a user now; undefined if mail is allowed. An address that was not asked yet is
 * asked, at most once a day.
 * @param askLater called instead of asking in this transaction
 */
export async function whyNotMailed(
  tx: Tx,
  policy: SendingPolicy,
  person: Asking,
  sent: string,
  now: number,
  askLater?: (recipient: RecipientToAsk) => void,
): Promise<Because | undefined> {
  if (isOwnAddress(person, sent)) return undefined;
  const address = ownOrNot(sent);
  if (await isRefused(tx, address)) return because('mailUnwanted', { address });
  const recipient = await findRow(tx, 'mailRecipients', { userId: person.id, address }, ['confirmed']);
  if (recipient?.confirmed)
    return (await isOverLimit(tx, policy.mail, person, now)) ? overLimit(policy.mail) : undefined;
  if (!policy.mail.canAsk)
    return {
      reason: `${address} has not agreed to receive e-mail, and this server cannot ask: set up e-mail and TRACKWAY_PUBLIC_URL`,
    };
  const since = now - DAY_MS;
  const isAsked = (await mailingsTo(tx, { kind: 'recipient', address }, since)) > 0;
  const { count } = await addressesReached(tx, { kind: 'recipient', userId: person.id }, since);
  if (!isAsked && count < ASKED_A_DAY) {
    if (askLater === undefined) await ask(tx, policy, person, address, now);
    else askLater({ userId: person.id, address, publicUrl: policy.publicUrl });
  }
  return {
    reason: `${address} has not agreed to receive e-mail yet. It gets an e-mail with a link to agree, at most once a day`,
  };
}

/** Asks a recipient that was left for later, unless it was asked meanwhile. */
export async function askRecipient(tx: Tx, { userId, address, publicUrl }: RecipientToAsk, now: number): Promise<void> {
  const person = (await readPeople(tx, [userId])).get(userId);
  if (person === undefined) return;
  await whyNotMailed(
    tx,
    { ...DEFAULT_POLICY, publicUrl, mail: { canAsk: true, toOthersPerDay: 0 } },
    person,
    address,
    now,
  );
}

/** Asks the recipients of a trigger, so that they can agree before it fires. */
export async function askRecipients(
  tx: Tx,
  policy: SendingPolicy,
  { userId, wanted }: { readonly userId: number; readonly wanted: Wanted },
  now: number,
): Promise<void> {
  for (const channel of channelsOf(wanted)) {
    const given = specOf(channel).isAgreed ? addressOf(channel, wanted) : undefined;
    const person = given && (await readPeople(tx, [userId])).get(userId);
    if (person) await whyNotMailed(tx, policy, person, given.value, now);
  }
}

async function ask(
  tx: Tx,
  policy: SendingPolicy,
  { id: userId, email }: Asking,
  address: string,
  now: number,
): Promise<void> {
  const { id: subjectId } = await tx
    .insertInto('mailRecipients')
    .values({ userId, address, confirmed: null, reportsStoppedAt: null, created: now })
    .onConflict((on) => on.columns(['userId', 'address']).doUpdateSet({ created: now }))
    .returning('id')
    .executeTakeFirstOrThrow();
  const token = await issueLink(tx, { kind: 'recipient', address, userId, subjectId }, now);
  await noteMailing(tx, { kind: 'recipient', userId, address }, now);
  const letters = await lettersTo(tx, userId);
  const content = letters.recipient(harmless(email.replace('@', ' at ')), linkTo(policy, '/mail', token));
  await postMail(tx, { userId, address, content }, now);
}

/** Counted in the outbox, where an index contains the mails of a user by time. */
export async function isOverLimit(tx: Tx, policy: MailPolicy, person: Asking, now: number): Promise<boolean> {
  if (policy.toOthersPerDay === 0) return false;
  const count = await countRows(
    tx
      .selectFrom('outbox')
      .where('userId', '=', person.id)
      .where('channel', '=', 'email')
      .where('created', '>', now - DAY_MS)
      .where('forwarderId', 'is', null)
      .where('what', 'in', ['notification', 'digest', 'report'])
      .where('state', 'in', ['queued', 'held', 'sending', 'sent', 'dead'])
      .where('address', '!=', person.email),
  );
  return count >= policy.toOthersPerDay;
}

export const overLimit = ({ toOthersPerDay }: MailPolicy) => because('mailLimit', { count: toOthersPerDay });

/** The answers of the reader of an address. */
export function recipientOperations(
  store: Store,
  vault: Pick<Vault, 'open'>,
): Handlers<Extract<keyof typeof accountMailOperations, 'answerMailRequest'>> {
  return {
    async answerMailRequest({ body, now }) {
      const allow = body.allow === true;
      const stopped = stoppedRecipient(vault, body.token!);
      if (stopped !== undefined)
        return { email: await store.transaction((tx) => stopReports(tx, stopped, allow, now)), allow };
      return store.transaction(async (tx) => {
        const { address, subjectId } = await readLink(tx, 'recipient', body.token!, now);
        if (allow) {
          await tx.deleteFrom('mailRefusals').where('address', '=', address).execute();
          const agreed = await tx
            .updateTable('mailRecipients')
            .set({ confirmed: now })
            .where('id', '=', subjectId!)
            .returning('id')
            .executeTakeFirst();
          if (agreed === undefined) throw linkEnded();
          return { email: address, allow };
        }
        await tx
          .insertInto('mailRefusals')
          .values({ address, created: now })
          .onConflict((on) => on.column('address').doNothing())
          .execute();
        await tx.updateTable('mailRecipients').set({ confirmed: null }).where('address', '=', address).execute();
        await cancelMailTo(tx, address, now);
        return { email: address, allow };
      });
    },
  };
}

const STOP = 'mailRecipients.stopReports';

/** The token of a link that stops the reports of a user to an address. It never expires, so it is not stored. */
export const stopToken = (vault: Pick<Vault, 'seal'>, recipientId: number) => vault.seal(String(recipientId), STOP);

function stoppedRecipient(vault: Pick<Vault, 'open'>, token: string): number | undefined {
  if (!isSealed(token)) return undefined;
  try {
    return Number(vault.open(token, STOP));
  } catch (error) {
    if (error instanceof CannotOpen) throw linkEnded();
    throw error;
  }
}

/** Stops or resumes the reports of a user to an address. Returns the address. */
async function stopReports(tx: Tx, recipientId: number, allow: boolean, now: number): Promise<string> {
  const recipient = await tx
    .updateTable('mailRecipients')
    .set({ reportsStoppedAt: allow ? null : now })
    .where('id', '=', recipientId)
    .returning(['userId', 'address'])
    .executeTakeFirst();
  if (recipient === undefined) throw linkEnded();
  const { userId, address } = recipient;
  if (!allow)
    await tx
      .updateTable('outbox')
      .set({ state: 'cancelled', reason: `${address} stopped your reports`, ended: now })
      .where('userId', '=', userId)
      .where('what', '=', 'report')
      .where('address', '=', address)
      .where('state', 'in', ['queued', 'held', 'dead'])
      .execute();
  return address;
}

async function cancelMailTo(tx: Tx, address: string, now: number): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', ...because('mailUnwanted', { address }), ended: now })
    .where('state', 'in', ['queued', 'held', 'dead'])
    .where('channel', '=', 'email')
    .where('what', 'in', ['notification', 'digest', 'report'])
    .where((when) => when(when.fn<string>('lower', ['address']), '=', address))
    .execute();
}
