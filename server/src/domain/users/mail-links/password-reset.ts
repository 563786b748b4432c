import type { accountMailOperations } from '@trackway/contract/resources/accounts/account-mail.ts';
import type { Handlers } from '../../../calls.ts';
import { recordAudit } from '../../audit/record.ts';
import type { Store } from '../../schema/tables.ts';
import { hashPassword } from '../passwords.ts';
import { requireStrongPassword } from '../strength/require-strong.ts';
import { endTokensOf } from '../tokens.ts';
import { lettersTo } from './account-letters.ts';
import { endLinksOfPassword, issueLink, linkEnded, readLink, takeLink } from './links.ts';
import { linkTo, type MailDesk, mailNotSetUp } from './mail-desk.ts';
import { HOUR_MS, mailingsTo, noteMailing } from './mailings.ts';
import { postMail } from './post-mail.ts';

type Operation = Extract<keyof typeof accountMailOperations, 'requestPasswordReset' | 'resetPassword'>;

const MAILS_AN_HOUR = 3;
const ASK_AN_ADMIN =
  'Ask an admin for a new password. An admin who has forgotten theirs runs `trackway user password`.';

export function passwordResetOperations(store: Store, desk: MailDesk): Handlers<Operation> {
  return {
    /** Whether or not there is such a user, the same is answered, and something is stored. */
    async requestPasswordReset({ body, now, address: caller }) {
      if (desk.missing !== undefined) throw mailNotSetUp(ASK_AN_ADMIN);
      const address = body.email!.trim().toLowerCase();
      await store.transaction(async (tx) => {
        const asked = await mailingsTo(tx, { what: 'reset', address }, now - HOUR_MS);
        if (asked >= MAILS_AN_HOUR) return;
        await noteMailing(tx, { what: 'reset', userId: null, address }, now);
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
        const content = (await lettersTo(tx, user.id)).reset(linkTo(desk, '/reset', token));
        await postMail(tx, store.storeKind, { userId: user.id, address, content, seal: desk.seal }, now);
        await recordAudit(tx, { action: 'password.forgotten', userId: user.id, address: caller }, now);
      });
      desk.wake();
      return undefined;
    },

    async resetPassword({ body, now, address: caller }) {
      const { token, newPassword } = body as { token: string; newPassword: string };
      // Looked at first, so that nobody makes the server hash passwords for nothing.
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
        if (desk.missing === undefined) {
          const content = (await lettersTo(tx, user.id)).passwordChanged();
          await postMail(tx, store.storeKind, { userId: user.id, address, content, seal: desk.seal }, now);
        }
        await recordAudit(tx, { action: 'password.reset', userId: user.id, address: caller }, now);
      });
      desk.wake();
      return undefined;
    },
  };
}
