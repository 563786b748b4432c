import { Type } from 'typebox';
import { answerOf, operation, remove, update } from '../../operation.ts';
import { id, noun, object, text, time } from '../../schema.ts';
import { proof, recoveryCodes } from './second-factor.ts';

const fields = {
  id: id(),
  name: text('Name of the passkey, such as `Phone`.', { minLength: 1, maxLength: 100 }),
  created: time('When the passkey was created.', { readOnly: true }),
  lastUsedAt: time('When the passkey was last used to sign in.', { readOnly: true }),
};
const passkey = noun('passkey', fields, { always: ['name', 'created'] });
const newPasskey = noun(
  'passkey',
  { name: fields.name, response: object('What the browser answered to the options.') },
  { required: ['name', 'response'] },
);
const base = '/users/passkeys';
const guarded = { guarded: true };

export const passkeyOperations = {
  listPasskeys: operation('GET', base, 'user', {
    summary: "List the caller's passkeys",
    answer: Type.Array(answerOf(passkey)),
  }),
  beginPasskey: operation('POST', `${base}/options`, 'user', {
    summary: 'Begin to create a passkey',
    description:
      'Requires a sign-in within the last 15 minutes, or the `password`; otherwise the response is 403 `FRESH_SIGN_IN_REQUIRED`. The response is what a browser needs for `navigator.credentials.create`.',
    body: { noun: noun('proof', proof, { sentAs: 'proof of identity' }), mode: 'create' },
    answer: Type.Record(Type.String(), Type.Unknown(), { title: 'passkey options' }),
    example: {
      answer: {
        challenge: 'q8mYv3Zr5Yt7Uw9Xv1Bc3A',
        rp: { id: 'tracking.example.com', name: 'Trackway' },
        user: { id: 'AQ', name: 'jane@example.com', displayName: 'Jane Doe' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      },
    },
    ...guarded,
  }),
  createPasskey: operation('POST', base, 'user', {
    summary: 'Create a passkey',
    description: 'From now on, the password alone is not enough to sign in.',
    body: { noun: newPasskey, mode: 'create' },
    answer: Type.Object(
      {
        id: Type.Integer({ description: 'Id of the passkey.' }),
        name: Type.String({ description: 'Name of the passkey.' }),
        recoveryCodes: Type.Union([recoveryCodes, Type.Null()], {
          description: 'Recovery codes, if the caller had no second factor before. Returned only in this response.',
        }),
      },
      { title: 'created passkey' },
    ),
    ...guarded,
  }),
  updatePasskey: update(passkey, `${base}/{id}`, 'user', { summary: 'Rename a passkey' }),
  deletePasskey: remove(passkey, `${base}/{id}`, 'user', {
    description:
      'Requires a sign-in within the last 15 minutes; otherwise the response is 403 `FRESH_SIGN_IN_REQUIRED`. Without another passkey or an authenticator app, the password alone signs in again.',
  }),
};
