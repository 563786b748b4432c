import { Type } from 'typebox';
import { FAMILY_NAMES, MOST_TOKEN_DEVICES, TOKEN_ACCESS } from '../../families.ts';
import { answerOf, operation } from '../../operation.ts';
import { flag, id, list as listOf, noun, text, time } from '../../schema.ts';

/** Limits of a token. A token never allows more than its user may do at that moment. */
export const tokenLimits = {
  access: Type.Enum([...TOKEN_ACCESS], {
    title: 'token access',
    description:
      '`full`; `read`: only read, and no secrets; `ingest`: only report positions and readings of devices. A limited token cannot create tokens or change the account.',
    default: 'full',
  }),
  deviceIds: listOf(
    Type.Integer({ minimum: 1 }),
    'Ids of the devices that it is limited to, owned by the user or shared with them. Null for no limit. Such a token has no admin rights.',
    { minItems: 1, maxItems: MOST_TOKEN_DEVICES },
  ),
  families: listOf(
    Type.Enum([...FAMILY_NAMES], { title: 'token family' }),
    `Families of operations that it is limited to: ${FAMILY_NAMES.join(', ')}. Null for no limit.`,
    { minItems: 1, maxItems: FAMILY_NAMES.length },
  ),
};

const KINDS = ['session', 'token', 'mqtt'] as const;

/** The session of a browser, or a personal token. */
export const session = noun(
  'session',
  {
    id: id(),
    kind: Type.Enum([...KINDS], {
      title: 'session kind',
      description:
        '`session`: created by signing in. `token`: a personal access token. `mqtt`: credentials for the MQTT broker.',
      readOnly: true,
    }),
    current: flag('Whether this request uses it.', { readOnly: true }),
    description: text('Purpose of a personal token, or the client id of MQTT credentials.', { readOnly: true }),
    agent: text('Program that signed in, such as `Firefox on Linux`.', { readOnly: true }),
    created: time('When it began.', { readOnly: true }),
    signedInAt: time(
      'When its user last confirmed their identity. Null for a personal token and for MQTT credentials.',
      {
        readOnly: true,
      },
    ),
    lastUsed: time('When it was last used, up to some minutes ago.', { readOnly: true }),
    lastAddress: text('Address of its last use.', { readOnly: true }),
    expiresAt: time('When it ends, unless it is refreshed.', { readOnly: true }),
    ...tokenLimits,
  },
  { always: ['kind', 'current', 'created', 'expiresAt', 'access'] },
);

const sessions = '/users/{id}/sessions';

export const sessionOperations = {
  listSessions: operation('GET', sessions, 'self', {
    summary: 'List the sessions and tokens of a user',
    description:
      'Sessions, personal access tokens and MQTT credentials that have not ended, the newest first, at most 1000.',
    answer: Type.Array(answerOf(session)),
  }),
  endSession: operation('DELETE', `${sessions}/{fk}`, 'self', {
    summary: 'End a session or revoke a personal token',
    description:
      'Takes effect immediately. MQTT credentials that were created with the session or token end with it; they can also be ended individually.',
  }),
  endSessions: operation('DELETE', sessions, 'self', {
    summary: 'Sign a user out everywhere',
    description:
      'Ends all sessions, and revokes all personal tokens and MQTT credentials of the user, except the session or token of this request.',
    query: {
      kind: Type.Enum([...KINDS], {
        title: 'session kind',
        description: 'End only sessions, only personal tokens, or only MQTT credentials.',
      }),
    },
    answer: Type.Object(
      { count: Type.Integer({ description: 'Number of sessions and tokens that were ended.' }) },
      { title: 'ended sessions' },
    ),
  }),
};
