import {
  type accountMailOperations,
  invitation as invitationNoun,
} from '@trackway/contract/resources/accounts/account-mail.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { invalidField, modelNotFound } from '../../refusals.ts';
import { recordAudit } from '../audit/record.ts';
import { countOf, familyOf, listOf } from '../family.ts';
import { findRow } from '../rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import {
  type AccountMailer,
  accountLetters,
  isRefused,
  linkTo,
  mailNotSetUp,
  postMail,
  tooManyMails,
} from './account-letters.ts';
import { createAccount, emailOf } from './accounts.ts';
import type { AddressFollower } from './confirmations.ts';
import { endInvitation, type Invited, invite, renewInvitation } from './invite.ts';
import { linkEnded, readLink } from './mail-links.ts';
import { DAY_MS, mailingsTo, noteMailing } from './mailings.ts';
import { requireFreshly } from './passwords.ts';
import { quotaHolder } from './quotas.ts';
import { beginSession, tokenV1 } from './sessions.ts';
import { SESSION_S } from './tokens.ts';

type Operation = Extract<
  keyof typeof accountMailOperations,
  | 'listInvitations'
  | 'countInvitations'
  | 'createInvitation'
  | 'resendInvitation'
  | 'deleteInvitation'
  | 'acceptInvitation'
>;

const ALL: Scope = { sql: '1 = 1', cells: [] };
const MAILS_A_DAY = 5;
const ADD_THE_USER = 'Add the user with a password instead, and send it to them over a secure channel.';

export function invitationOperations(
  store: Store,
  mailer: AccountMailer,
  addressConfirmed?: AddressFollower,
): Handlers<Operation> {
  const rows = collectionOf(store, 'invitations', invitationNoun);
  const family = familyOf('invitation', rows, () => ALL);

  /** Mails the link, within a limit. */
  async function send(tx: Tx, call: Call, address: string, { id, token }: Invited) {
    const { caller, now } = call;
    if (await isRefused(tx, address))
      throw invalidField('invitation', 'email', 'unwanted', 'has declined e-mail from this server');
    if ((await mailingsTo(tx, { kind: 'invite', address }, now - DAY_MS)) >= MAILS_A_DAY)
      throw tooManyMails(
        `The limit of ${MAILS_A_DAY} invitations to this address within 24 hours is reached. Try again tomorrow.`,
        'TOO_MANY_MAILS',
      );
    const inviting = await findRow(tx, 'users', { id: caller.userId }, ['email', 'language']);
    // The language of the invited person is unknown: most likely it is the language of the inviting user.
    const letters = accountLetters(inviting?.language ?? 'en');
    const content = letters.invitation(inviting?.email, linkTo(mailer, '/invitation', token));
    await noteMailing(tx, { kind: 'invite', userId: caller.userId, address }, now);
    await postMail(tx, { userId: caller.userId, address, content, seal: mailer.seal }, now);
    await audit(tx, call, 'invitation.sent', address);
    const row = await tx.selectFrom('invitations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    return rows.present(row as never);
  }

  return {
    listInvitations: (call) => listOf(family, call),
    countInvitations: (call) => countOf(family, call),

    async createInvitation(call) {
      if (mailer.missing !== undefined) throw mailNotSetUp(ADD_THE_USER);
      const { name, admin } = call.body;
      if (admin === true) requireFreshly(call);
      const email = emailOf(call.body.email!, 'invitation');
      const shown = await store.transaction(async (tx) => {
        const taken = await findRow(tx, 'users', { email }, ['id']);
        if (taken !== undefined) throw invalidField('invitation', 'email', 'uniqueness', 'already has an account');
        const wanted = { email, name, admin: admin === true, invitedBy: call.caller.userId };
        return send(tx, call, email, await invite(tx, { ...wanted, origin: 'admin' }, call.now));
      });
      mailer.wake();
      return shown;
    },

    async resendInvitation(call) {
      const shown = await store.transaction(async (tx) => {
        const { email } = await found(tx, call.key);
        if (mailer.missing !== undefined) throw mailNotSetUp(ADD_THE_USER);
        return send(tx, call, email, await renewInvitation(tx, call.key, email, call.now));
      });
      mailer.wake();
      return shown;
    },

    async deleteInvitation(call) {
      await store.transaction(async (tx) => {
        const { email } = await found(tx, call.key);
        await endInvitation(tx, call.key);
        await audit(tx, call, 'invitation.ended', email);
      });
    },

    async acceptInvitation(call) {
      const { body, now, address: caller } = call;
      const { token, password } = body as { token: string; password: string };
      // Checked first, so that an invalid link cannot make the server hash passwords.
      const { subjectId, address: email } = await readLink(store.query, 'invite', token, now);
      const invitation = await findRow(store.query, 'invitations', { id: subjectId! }, [
        'name',
        'admin',
        'origin',
        'invitedBy',
      ]);
      if (invitation === undefined) throw linkEnded();
      const account = { email, name: body.name?.trim() || invitation.name, admin: invitation.admin !== 0 };
      const user = await createAccount(store, account, password, now, {
        async addressConfirmed(tx, made) {
          // In the transaction that makes the account: of two uses of the link, the second finds the address taken.
          await readLink(tx, 'invite', token, now);
          await endInvitation(tx, subjectId!);
          if (invitation.origin === 'share') await shareQuota(tx, made.userId, invitation.invitedBy);
          await addressConfirmed?.(tx, made, now);
          await recordAudit(
            tx,
            { action: 'invitation.accepted', userId: made.userId, actorId: made.userId, address: caller },
            now,
          );
        },
      });
      const session = await store.transaction((tx) =>
        beginSession(tx, call, { userId: user.id, ttl: SESSION_S }, 'invitation'),
      );
      return tokenV1(user.id, SESSION_S, session);
    },
  };
}

/** Where users invite others, an account has no quota of its own; where an admin does, it has. */
async function shareQuota(tx: Tx, userId: number, inviterId: number | null): Promise<void> {
  if (inviterId === null) return;
  const inviter = await findRow(tx, 'users', { id: inviterId }, ['admin']);
  if (inviter === undefined || inviter.admin !== 0) return;
  const invitedBy = await quotaHolder(tx, inviterId);
  await tx.updateTable('users').set({ invitedBy }).where('id', '=', userId).execute();
}

async function found(tx: Tx, id: number): Promise<{ email: string }> {
  const row = await findRow(tx, 'invitations', { id }, ['email']);
  if (row === undefined) throw modelNotFound('invitation', id);
  return row;
}

const audit = (tx: Tx, { caller, address, now }: Call, action: 'invitation.sent' | 'invitation.ended', email: string) =>
  recordAudit(tx, { action, actorId: caller.userId, tokenId: caller.tokenId, address, detail: { email } }, now);
