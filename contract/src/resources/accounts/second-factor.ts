import { Type } from 'typebox';
import { operation, SHOWN_ONCE } from '../../operation.ts';
import { flag, integer, noun, text } from '../../schema.ts';

/** How a signed-in user confirms their identity again. */
export const proof = {
  password: text('Password of the caller.', { maxLength: 256 }),
  code: text('Code of the authenticator app, or a recovery code.', { maxLength: 64 }),
};
const proofNoun = noun('proof', proof, { sentAs: 'proof of identity' });

export const recoveryCodes = Type.Array(Type.String(), {
  description: 'Recovery codes. Each replaces the second factor once. Returned only in this response.',
  'x-document': { type: ['array', 'null'], items: { type: 'string' } },
});

const state = Type.Object(
  {
    authenticator: flag('Whether an authenticator app is set up.'),
    passkeys: integer('Number of passkeys.'),
    recoveryCodes: integer('Number of recovery codes that are left.'),
    demanded: flag('Whether the caller is an admin who has to set up a second factor before acting as one.'),
    hasPassword: flag('Whether the caller has a password.'),
  },
  { title: 'second factor' },
);

const base = '/users/second-factor';
const guarded = { guarded: true };

export const secondFactorOperations = {
  getSecondFactor: operation('GET', base, 'user', {
    summary: "Get the caller's second factor",
    answer: state,
  }),
  beginAuthenticator: operation('POST', `${base}/authenticator`, 'user', {
    summary: 'Begin to set up an authenticator app',
    description:
      'Requires a sign-in within the last 15 minutes, or the `password`; otherwise the response is 403 `FRESH_SIGN_IN_REQUIRED`. The app counts only after `confirmAuthenticator`.',
    body: { noun: proofNoun, mode: 'create' },
    answer: Type.Object(
      {
        secret: Type.String({ description: 'Secret of the app, base32-encoded.', ...SHOWN_ONCE }),
        uri: Type.String({ description: 'The secret as an `otpauth:` URI, for a QR code.', ...SHOWN_ONCE }),
      },
      { title: 'authenticator setup' },
    ),
    ...guarded,
  }),
  confirmAuthenticator: operation('POST', `${base}/authenticator/confirm`, 'user', {
    summary: 'Confirm an authenticator app',
    description:
      'From now on, signing in requires `code` in addition to the password. Existing sessions and tokens continue.',
    body: {
      noun: noun('authenticator', { code: proof.code }, { required: ['code'], sentAs: 'authenticator code' }),
      mode: 'create',
    },
    answer: Type.Object({ recoveryCodes }, { title: 'recovery codes' }),
    ...guarded,
  }),
  confirmSignIn: operation('POST', '/users/confirm-sign-in', 'user', {
    summary: 'Confirm the sign-in',
    description:
      'Requires the `password`, or a `code` if the caller has a second factor. For the next 15 minutes the session of this request counts as signed in just now, for operations that are otherwise rejected with 403 `FRESH_SIGN_IN_REQUIRED`. Only for sessions: a personal token cannot be confirmed.',
    body: { noun: proofNoun, mode: 'create' },
    ...guarded,
  }),
  removeAuthenticator: operation('POST', `${base}/authenticator/remove`, 'user', {
    summary: 'Remove the authenticator app',
    description:
      'Requires a `code`; the password alone is rejected with 403 `SECOND_FACTOR_REQUIRED`. Not for personal tokens. Without a passkey, the password alone signs in again.',
    body: { noun: proofNoun, mode: 'create' },
    ...guarded,
  }),
  createRecoveryCodes: operation('POST', `${base}/recovery-codes`, 'user', {
    summary: 'Create new recovery codes',
    description:
      'Requires a `code`; without an authenticator app, the `password` right after a sign-in is enough. Not for personal tokens. The earlier recovery codes end.',
    body: { noun: proofNoun, mode: 'create' },
    answer: Type.Object({ recoveryCodes }, { title: 'recovery codes' }),
    ...guarded,
  }),
  resetSecondFactor: operation('DELETE', '/users/{id}/second-factor', 'admin', {
    summary: "Remove a user's second factor",
    description:
      'For a user who lost their phone and their recovery codes: removes the authenticator app, the passkeys and the recovery codes of the user, and ends their sessions.',
  }),
};
