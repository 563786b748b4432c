import { specOf } from '@trackway/contract/channels.ts';
import type { accountMailOperations } from '@trackway/contract/resources/accounts/account-mail.ts';
import type { Kysely } from 'kysely';
import type { Handlers } from '../../../calls.ts';
import { harmless } from '../../../platform/harmless-text.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { lettersTo } from '../../users/mail-links/account-letters.ts';
import { issueLink, linkEnded, readLink } from '../../users/mail-links/links.ts';
import { linkTo } from '../../users/mail-links/mail-desk.ts';
import { addressesReached, DAY_MS, mailingsTo, noteMailing } from '../../users/mail-links/mailings.ts';
import { isRefused, postMail } from '../../users/mail-links/post-mail.ts';
import type { MailPolicy, SendingPolicy } from '../sending-policy.ts';
import { addressOf, channelsOf, type Wanted } from '../wanted-channels.ts';
import { type Person, readPeople } from './people.ts';

/**
 * Addresses other than a user's own get notifications by mail only after whoever reads them has agreed, by a link in the
 * one mail that is sent without it.
 */

/** How many addresses a user may have asked within a day. */
const ASKED_A_DAY = 20;

const ownOrNot = (address: string) => address.trim().toLowerCase();

export const isOwnAddress = (person: Pick<Person, 'email' | 'isConfirmed'>, address: string) =>
  person.isConfirmed && ownOrNot(address) === person.email;

type Asking = Pick<Person, 'id' | 'email' | 'isConfirmed'>;

/**
 * Why nothing is mailed to an address for a user now; undefined where it may be. Whoever was not asked yet is asked, at
 * most once a day.
 */
export async function whyNotMailed(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  policy: SendingPolicy,
  person: Asking,
  sent: string,
  now: number,
): Promise<string | undefined> {
  if (isOwnAddress(person, sent)) return undefined;
  const address = ownOrNot(sent);
  if (await isRefused(tx, address)) return `${address} does not want mail from this server`;
  const recipient = await tx
    .selectFrom('mailRecipients')
    .select('confirmed')
    .where('userId', '=', person.id)
    .where('address', '=', address)
    .executeTakeFirst();
  if (recipient?.confirmed)
    return (await isOverLimit(tx, policy.mail, person, now)) ? overLimit(policy.mail) : undefined;
  if (!policy.mail.canAsk)
    return `${address} has not agreed to be mailed, and this server cannot ask: mail and TRACKWAY_PUBLIC_URL must be set up`;
  const since = now - DAY_MS;
  const isAsked = (await mailingsTo(tx, { what: 'recipient', address }, since)) > 0;
  const { count } = await addressesReached(tx, { what: 'recipient', userId: person.id }, since);
  if (!isAsked && count < ASKED_A_DAY) await ask(tx, storeKind, policy, person, address, now);
  return `${address} has not agreed to be mailed yet: it gets a mail with a link to agree, at most once a day`;
}

/** Asks whoever a trigger wants to mail, so that they can agree before it fires. */
export async function askRecipients(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  policy: SendingPolicy,
  { userId, wanted }: { readonly userId: number; readonly wanted: Wanted },
  now: number,
): Promise<void> {
  for (const channel of channelsOf(wanted)) {
    const given = specOf(channel).isAgreed ? addressOf(channel, wanted) : undefined;
    const person = given && (await readPeople(tx, [userId])).get(userId);
    if (person) await whyNotMailed(tx, storeKind, policy, person, given.value, now);
  }
}

async function ask(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  policy: SendingPolicy,
  { id: userId, email }: Asking,
  address: string,
  now: number,
): Promise<void> {
  const { id: about } = await tx
    .insertInto('mailRecipients')
    .values({ userId, address, confirmed: null, created: now })
    .onConflict((on) => on.columns(['userId', 'address']).doUpdateSet({ created: now }))
    .returning('id')
    .executeTakeFirstOrThrow();
  const token = await issueLink(tx, { kind: 'recipient', address, userId, about }, now);
  await noteMailing(tx, { what: 'recipient', userId, address }, now);
  const letters = await lettersTo(tx, userId);
  const content = letters.recipient(harmless(email.replace('@', ' at ')), linkTo(policy, '/mail', token));
  await postMail(tx, storeKind, { userId, address, content }, now);
}

/** Counted in the outbox, of which an index has the mails of a user by time. */
async function isOverLimit(tx: Kysely<Tables>, policy: MailPolicy, person: Asking, now: number): Promise<boolean> {
  if (policy.toOthersPerDay === 0) return false;
  const { count } = await tx
    .selectFrom('outbox')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('userId', '=', person.id)
    .where('channel', '=', 'email')
    .where('created', '>', now - DAY_MS)
    .where('forwarderId', 'is', null)
    .where('what', 'in', ['notification', 'digest'])
    .where('state', 'in', ['queued', 'held', 'sending', 'sent', 'dead'])
    .where('address', '!=', person.email)
    .executeTakeFirstOrThrow();
  return Number(count) >= policy.toOthersPerDay;
}

const overLimit = ({ toOthersPerDay }: MailPolicy) =>
  `You mailed ${toOthersPerDay} notifications to other people within 24 hours, which is the limit`;

/** What whoever reads mail at an address says about it. */
export function recipientOperations(
  store: Store,
): Handlers<Extract<keyof typeof accountMailOperations, 'answerMailRequest'>> {
  return {
    async answerMailRequest({ body, now }) {
      const allow = body.allow === true;
      return store.transaction(async (tx) => {
        const { address, about } = await readLink(tx, 'recipient', body.token!, now);
        if (allow) {
          await tx.deleteFrom('mailRefusals').where('address', '=', address).execute();
          const agreed = await tx
            .updateTable('mailRecipients')
            .set({ confirmed: now })
            .where('id', '=', about!)
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

async function cancelMailTo(tx: Kysely<Tables>, address: string, now: number): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', reason: `${address} does not want mail from this server`, ended: now })
    .where('state', 'in', ['queued', 'held', 'dead'])
    .where('channel', '=', 'email')
    .where('what', 'in', ['notification', 'digest'])
    .where((when) => when(when.fn<string>('lower', ['address']), '=', address))
    .execute();
}
