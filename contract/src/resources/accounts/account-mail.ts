import { Type } from 'typebox';
import { answerOf, count, create, list, operation, remove } from '../../operation.ts';
import { email as emailOf, flag, id, key, noun, text, time } from '../../schema.ts';
import { MIN_PASSWORD, tokenV1 } from './user.ts';

/** Accounts by mail: forgotten passwords, addresses to confirm, and invitations. */

const email = emailOf('E-mail address.');
const linkToken = text('Token of the link, the part after the #.', { minLength: 1, maxLength: 100 });
const password = text(`New password, at least ${MIN_PASSWORD} characters.`, {
  minLength: MIN_PASSWORD,
  maxLength: 256,
});

export const invitation = noun(
  'invitation',
  {
    id: id(),
    email,
    name: text('Full name of the person.', { maxLength: 200 }),
    admin: flag('Whether the person becomes an admin.', { default: false }),
    origin: text('`admin`, or `share` if it was created because a device was shared with the address.', {
      readOnly: true,
    }),
    invitedBy: key('Id of the user who invited the person.', { readOnly: true }),
    created: time('When the invitation was created.', { readOnly: true }),
    sent: time('When the link was last mailed.', { readOnly: true }),
    expires: time('When the link stops working, seven days after it was mailed.', { readOnly: true }),
  },
  { required: ['email'], always: ['email', 'admin', 'origin', 'created', 'expires'] },
);

const guarded = { guarded: true };

export const accountMailOperations = {
  requestPasswordReset: operation('POST', '/users/reset', 'anyone', {
    summary: 'Request a new password by e-mail',
    description:
      'Mails a link to the address if a user has confirmed it. The response is the same whether or not there is such a user. The link works once, for one hour. At most three mails an hour are sent to an address.',
    body: {
      noun: noun('password reset', { email }, { required: ['email'], sentAs: 'password reset request' }),
      mode: 'create',
    },
    ...guarded,
  }),
  resetPassword: operation('POST', '/users/reset-password', 'anyone', {
    refuses: [403],
    summary: 'Set a new password by a link',
    description: 'All sessions and tokens of the user end, personal access tokens included.',
    body: {
      noun: noun(
        'new password',
        { token: linkToken, newPassword: password },
        { required: ['token', 'newPassword'], sentAs: 'password by link' },
      ),
      mode: 'create',
    },
    ...guarded,
  }),
  confirmEmail: operation('POST', '/users/confirm', 'anyone', {
    refuses: [403],
    summary: 'Confirm an e-mail address by a link',
    description: 'A change of address takes effect now, and so do shares that waited for the address.',
    body: {
      noun: noun('confirmation', { token: linkToken }, { required: ['token'], sentAs: 'mail confirmation' }),
      mode: 'create',
    },
    answer: Type.Object(
      { email: Type.String({ description: 'The address that is confirmed now.' }) },
      { title: 'confirmed address' },
    ),
    ...guarded,
  }),
  sendConfirmation: operation('POST', '/users/{id}/verify', 'self', {
    summary: 'Mail a confirmation link again',
    description: 'To `newEmail` if the user wants to change the address, otherwise to `email` while it is unconfirmed.',
  }),
  answerMailRequest: operation('POST', '/mail/answer', 'anyone', {
    refuses: [403],
    summary: 'Allow or refuse notifications and reports by mail',
    description:
      'For the recipient of a request for consent, with the link in the mail. A refusal applies to all users: no more mail is sent to the address, except about its own account. The token in a report stops the reports of one user only.',
    body: {
      noun: noun(
        'answer',
        { token: linkToken, allow: flag('True to receive the messages, false to refuse all e-mail.') },
        { required: ['token', 'allow'], always: ['allow'], sentAs: 'mail answer' },
      ),
      mode: 'create',
    },
    answer: Type.Object(
      {
        email: Type.String({ description: 'The address.' }),
        allow: Type.Boolean({ description: 'The recorded choice.' }),
      },
      { title: 'mail answer result' },
    ),
    ...guarded,
  }),

  listInvitations: list(invitation, '/invitations', 'admin'),
  countInvitations: count(invitation, '/invitations', 'admin'),
  createInvitation: create(invitation, '/invitations', 'admin', {
    summary: 'Invite a person by mail',
    description:
      'The link in the mail lets the person choose a password. Inviting an address again replaces its invitation and its link. To invite an admin, a sign-in within the last 15 minutes is required; otherwise the response is 403 `FRESH_SIGN_IN_REQUIRED`.',
  }),
  resendInvitation: operation('POST', '/invitations/{id}/resend', 'admin', {
    summary: 'Mail an invitation again',
    description: 'The link in the earlier mail stops working.',
    answer: answerOf(invitation),
  }),
  deleteInvitation: remove(invitation, '/invitations/{id}', 'admin', {
    summary: 'Revoke an invitation',
    description: 'Its link stops working immediately.',
  }),
  acceptInvitation: operation('POST', '/invitations/accept', 'anyone', {
    refuses: [403],
    summary: 'Accept an invitation',
    description: 'Creates the account, with the address confirmed, and logs in.',
    body: {
      noun: noun(
        'acceptance',
        { token: linkToken, password, name: text('Full name.', { maxLength: 200 }) },
        { required: ['token', 'password'], sentAs: 'invitation acceptance' },
      ),
      mode: 'create',
    },
    answer: tokenV1,
    ...guarded,
  }),
};
