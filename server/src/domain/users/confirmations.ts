import type { accountMailOperations } from '@trackway/contract/resources/accounts/account-mail.ts';
import type { Handlers } from '../../calls.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import { invalidField, modelNotFound } from '../../refusals.ts';
import { recordAudit } from '../audit/record.ts';
import { findRow } from '../rows.ts';
import type { Store, Tx } from '../schema/tables.ts';
import {
  type AccountMailer,
  isRefused,
  lettersTo,
  linkTo,
  mailNotSetUp,
  postMail,
  tooManyMails,
} from './account-letters.ts';
import { endLinks, issueLink, linkEnded, takeLink } from './mail-links.ts';
import { addressesReached, DAY_MS, mailingsTo, noteMailing } from './mailings.ts';

/** Called when it is proven that an address reaches a user, or an admin vouches for it. */
export type AddressFollower = (
  tx: Tx,
  user: { readonly userId: number; readonly email: string },
  now: number,
) => Promise<void>;

type Operation = Extract<keyof typeof accountMailOperations, 'confirmEmail' | 'sendConfirmation'>;

const MAILS_A_DAY = 5;
const ASK_AN_ADMIN = 'Ask an admin to set the address.';

export function confirmationOperations(
  store: Store,
  mailer: AccountMailer,
  addressConfirmed?: AddressFollower,
): Handlers<Operation> {
  return {
    async confirmEmail({ body, now, address: caller }) {
      try {
        return await store.transaction(async (tx) => {
          const { kind, userId, address } = await takeLink(tx, ['confirm', 'change'], body.token!, now);
          const column = kind === 'change' ? 'newEmail' : 'email';
          const confirmed = { email: address, newEmail: null, emailConfirmedAt: now };
          const user = await tx
            .updateTable('users')
            .set(kind === 'change' ? confirmed : { emailConfirmedAt: now })
            .where('id', '=', userId!)
            // The address may have been changed again, or set by an admin, since the mail was sent.
            .where(column, '=', address)
            .returning('id')
            .executeTakeFirst();
          if (user === undefined) throw linkEnded();
          await endLinks(tx, { kind: 'reset', userId: user.id });
          await addressConfirmed?.(tx, { userId: user.id, email: address }, now);
          await recordAudit(
            tx,
            { action: 'email.confirmed', userId: user.id, address: caller, detail: { email: address } },
            now,
          );
          return { email: address };
        });
      } catch (error) {
        if (!(error instanceof NotUnique)) throw error;
        throw invalidField('user', 'email', 'uniqueness', 'now belongs to another account');
      }
    },

    async sendConfirmation({ userId, now }) {
      await store.transaction(async (tx) => {
        const user = await findRow(tx, 'users', { id: userId }, ['email', 'newEmail', 'emailConfirmedAt']);
        if (user === undefined) throw modelNotFound('user', userId);
        const address = user.newEmail ?? (user.emailConfirmedAt === null ? user.email : undefined);
        if (address === undefined) return;
        if (mailer.missing !== undefined) throw mailNotSetUp(ASK_AN_ADMIN);
        await mailConfirmation(tx, mailer, { userId, address, isChange: user.newEmail !== null }, now);
      });
      mailer.wake();
    },
  };
}

interface Unconfirmed {
  readonly userId: number;
  readonly address: string;
  /** Whether it becomes the address of the account once it is confirmed. */
  readonly isChange: boolean;
}

/** Within a limit, since the address may be that of anybody. */
async function mailConfirmation(
  tx: Tx,
  mailer: AccountMailer,
  { userId, address, isChange }: Unconfirmed,
  now: number,
): Promise<void> {
  if (isChange && (await isRefused(tx, address)))
    throw invalidField('user', 'email', 'unwanted', 'has declined e-mail from this server');
  const kind = 'confirm';
  const since = now - DAY_MS;
  const { count, first } = await addressesReached(tx, { kind, userId }, since);
  const isOften = (await mailingsTo(tx, { kind, address }, since)) >= MAILS_A_DAY;
  if (count >= MAILS_A_DAY || isOften)
    throw tooManyMails(
      `The limit of ${MAILS_A_DAY} confirmation e-mails within 24 hours is reached. Check the spam folder, or try again tomorrow.`,
      'TOO_MANY_MAILS',
      count >= MAILS_A_DAY ? first + DAY_MS - now : DAY_MS,
    );
  const token = await issueLink(tx, { kind: isChange ? 'change' : 'confirm', userId, address }, now);
  await noteMailing(tx, { kind, userId, address }, now);
  const content = (await lettersTo(tx, userId)).confirm(linkTo(mailer, '/confirm', token));
  await postMail(tx, { userId, address, content, seal: mailer.seal }, now);
}

/** A user wants another address: it takes effect when it is confirmed, and the old address is notified. */
export async function askForNewEmail(
  tx: Tx,
  mailer: AccountMailer,
  { userId, email, newEmail }: { readonly userId: number; readonly email: string; readonly newEmail: string },
  now: number,
): Promise<void> {
  await tx.updateTable('users').set({ newEmail }).where('id', '=', userId).execute();
  await mailConfirmation(tx, mailer, { userId, address: newEmail, isChange: true }, now);
  const content = (await lettersTo(tx, userId)).changed(newEmail);
  await postMail(tx, { userId, address: email, content, seal: mailer.seal }, now);
}
