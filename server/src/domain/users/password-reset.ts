import type { accountMailOperations } from '@trackway/contract/resources/accounts/account-mail.ts';
import type { Handlers } from '../../calls.ts';
import { recordAudit } from '../audit/record.ts';
import type { Store } from '../schema/tables.ts';
import { type AccountMailer, lettersTo, linkTo, mailNotSetUp, postMail } from './account-letters.ts';
import { endLinksOfPassword, issueLink, linkEnded, readLink, takeLink } from './mail-links.ts';
import { HOUR_MS, mailingsTo, noteMailing } from './mailings.ts';
import { hashPassword } from './passwords.ts';
import { requireStrongPassword } from './require-strong.ts';
import { endTokensOf } from './tokens.ts';

type Operation = Extract<keyof typeof accountMailOperations, 'requestPasswordReset' | 'resetPassword'>;

const MAILS_AN_HOUR = 3;
const ASK_AN_ADMIN =
  'Ask an admin for a new password. An admin who has forgotten theirs runs `trackway user password`.';

export function passwordResetOperations(store: Store, mailer: AccountMailer): Handlers<Operation> {
  return {
    /** Whether or not there is such a user, the same is answered, and something is stored. */
    async requestPasswordReset({ body, now, address: caller }) {
      if (mailer.missing !== undefined) throw mailNotSetUp(ASK_AN_ADMIN);
      const address = body.email!.trim().toLowerCase();
      await store.transaction(async (tx) => {
        const asked = await mailingsTo(tx, { kind: 'reset', address }, now - HOUR_MS);
        if (asked >= MAILS_AN_HOUR) return;
        await noteMailing(tx, { kind: 'reset', userId: null, address }, now);
        const user = await tx
          .selectFrom('users')
          .select('id')
          .where('email', '=', address)
          .where('emailConfirmedAt', 'is not', null)
          // A program has tokens and never a password.
          .where('kind', '=', 'person')
          .executeTakeFirst();
        if (user === undefined) return;
        const token = await issueLink(tx, { kind: 'reset', userId: user.id, address }, now);
        const content = (await lettersTo(tx, user.id)).reset(linkTo(mailer, '/reset', token));
        await postMail(tx, { userId: user.id, address, content, seal: mailer.seal }, now);
        await recordAudit(tx, { action: 'password.forgotten', userId: user.id, address: caller }, now);
      });
      mailer.wake();
    },

    async resetPassword({ body, now, address: caller }) {
      const { token, newPassword } = body as { token: string; newPassword: string };
      // Checked first, so that an invalid link cannot make the server hash passwords.
      const { address: email } = await readLink(store.query, 'reset', token, now);
      await requireStrongPassword(newPassword, { email }, { context: 'password', field: 'newPassword' });
      const passwordHash = await hashPassword(newPassword);
      await store.transaction(async (tx) => {
        const { userId, address } = await takeLink(tx, ['reset'], token, now);
        const user = await tx
          .updateTable('users')
          .set({ passwordHash })
          .where('id', '=', userId!)
          .where('email', '=', address)
          .where('kind', '=', 'person')
          .returning('id')
          .executeTakeFirst();
        if (user === undefined) throw linkEnded();
        await endTokensOf(tx, user.id);
        await endLinksOfPassword(tx, user.id);
        if (mailer.missing === undefined) {
          const content = (await lettersTo(tx, user.id)).passwordChanged();
          await postMail(tx, { userId: user.id, address, content, seal: mailer.seal }, now);
        }
        await recordAudit(tx, { action: 'password.reset', userId: user.id, address: caller }, now);
      });
      mailer.wake();
    },
  };
}
