import { Type } from 'typebox';
import { answerOf, operation } from '../../operation.ts';
import { flag, noun, text } from '../../schema.ts';
import { newToken, personalAccessToken, shownOnce, user } from './user.ts';

/** Service accounts are users of kind `service`: they are listed, renamed, shared with and deleted like any user. */
const serviceAccount = noun(
  'serviceAccount',
  {
    name: text('Name of the program, such as `Backup script`.', { minLength: 1, maxLength: 200 }),
    admin: flag('Whether the account is an admin.', { default: false }),
  },
  { required: ['name'], always: ['name', 'admin'] },
);

const tokens = '/serviceAccounts/{id}/tokens';

export const serviceAccountOperations = {
  createServiceAccount: operation('POST', '/serviceAccounts', 'admin', {
    summary: 'Create a service account',
    description:
      'An account for a program: it has no password, cannot sign in and gets no mail. It calls the API with tokens that an admin creates. Devices can be shared with its address. Requires a sign-in within the last 15 minutes; otherwise the response is 403 `FRESH_SIGN_IN_REQUIRED`.',
    body: { noun: serviceAccount, mode: 'create' },
    answer: answerOf(user),
  }),
  listServiceTokens: operation('GET', tokens, 'admin', {
    summary: 'List the tokens of a service account',
    answer: Type.Array(answerOf(personalAccessToken)),
  }),
  createServiceToken: operation('POST', tokens, 'admin', {
    summary: 'Create a token of a service account',
    description:
      'The token is returned only in this response. Like a personal token, it is created only within 15 minutes after a sign-in, or with the `password` of the caller.',
    body: { noun: newToken, mode: 'create' },
    answer: answerOf(shownOnce),
  }),
  deleteServiceToken: operation('DELETE', '/serviceTokens/{id}', 'admin', {
    summary: 'Revoke a token of a service account',
  }),
};
