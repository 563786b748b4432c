import { Type } from 'typebox';
import {
  answerOf,
  count,
  create,
  list,
  nothing,
  operation,
  read,
  remove,
  SHOWN_ONCE,
  update,
} from '../../operation.ts';
import { pageNumbers } from '../../page.ts';
import {
  anything,
  email,
  flag,
  id,
  integer,
  noun,
  object,
  required,
  type Sent,
  text,
  time,
  timeOfDay,
} from '../../schema.ts';
import { LANGUAGES } from '../../wording/languages.ts';
import { tokenLimits } from './session.ts';

export const MIN_PASSWORD = 8;
/** How long after its expiry a token can be refreshed, at most, in seconds. */
export const MAX_REFRESH_S = 2_678_400;
const password = (description: string) => text(description, { minLength: MIN_PASSWORD, maxLength: 256 });

export const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const profile = {
  id: id(),
  username: text('Name to log in with, as an alternative to the e-mail address.', {
    minLength: 1,
    maxLength: 100,
    'x-pattern': USERNAME.source,
  }),
  email: email('E-mail address. Used for login and for e-mail notifications.'),
  name: text('Full name.', { maxLength: 200 }),
  admin: flag('Whether the user is an admin. Admins can read and change everything.', { default: false }),
  meta: object('Custom data.'),
  timeZone: text(
    'Time zone for times in e-mails and for quiet hours, as an IANA name such as `Europe/Berlin`. UTC if not set.',
    {
      minLength: 1,
      maxLength: 64,
    },
  ),
  quietHours: Type.Object(
    {
      from: timeOfDay('Start, such as `22:00`.'),
      to: timeOfDay('End, such as `07:00`.'),
    },
    {
      title: 'quiet hours',
      description:
        'Quiet hours in the time zone of the user. Push and e-mail notifications are held and sent as one digest at the end. Notifications of buttons, drops and alerts are sent immediately.',
    },
  ),
  language: Type.Enum([...LANGUAGES], {
    title: 'language',
    description:
      'Language of e-mails, push notifications and the console. English in e-mails, and the language of the browser in the console, if not set. Responses of the API are in English.',
  }),
  units: Type.Object(
    {
      distance: Type.Enum(['metric', 'imperial'], {
        title: 'unit system',
        description: 'Distance and speed: kilometres and km/h, or miles and mph.',
      }),
      length: Type.Enum(['metric', 'imperial'], {
        title: 'unit system',
        description: 'Altitude and accuracy: metres or feet.',
      }),
      temperature: Type.Enum(['celsius', 'fahrenheit'], {
        title: 'temperature unit',
        description: 'Temperature: °C or °F.',
      }),
    },
    {
      title: 'units',
      description:
        'Units of e-mails, push notifications and the console. Metric in e-mails, and what is usual where the browser is in the console, if not set. Data of the API is always metric.',
    },
  ),
  created: time('When the user was created.', { readOnly: true }),
  emailConfirmedAt: time('When the e-mail address was confirmed by a link, or set by an admin. Null if it was not.', {
    readOnly: true,
  }),
  newEmail: text('E-mail address that the account gets once it is confirmed by the link mailed to it.', {
    readOnly: true,
  }),
  kind: Type.Enum(['person', 'service'], {
    title: 'user kind',
    description: '`person`, or `service`: an account for a program, which has tokens but no password and no mail.',
    readOnly: true,
  }),
};

export const user = noun('user', profile, { always: ['email', 'admin', 'created', 'kind'] });
const newUser = noun(
  'user',
  { ...profile, password: password(`At least ${MIN_PASSWORD} characters.`) },
  { required: ['email', 'password'], always: ['email', 'admin', 'password'] },
);
/** For a user who is signed in. */
export const proofCode = text(
  'Code of the authenticator app, or a recovery code. Required besides the password if the caller has a second factor and signed in more than 15 minutes ago; without it, the response is 403 `SECOND_FACTOR_REQUIRED`.',
  { maxLength: 64 },
);
const userUpdate = noun(
  'user',
  {
    ...profile,
    password: password('New password. All other tokens of the user are revoked.'),
    currentPassword: text('Password of the caller. Required when users change their own password or e-mail address.'),
    code: proofCode,
  },
  { always: ['email', 'admin', 'password'] },
);
const newPassword = noun(
  'password',
  {
    oldPassword: text('Current password.'),
    newPassword: password(`At least ${MIN_PASSWORD} characters.`),
    code: proofCode,
  },
  { required: ['oldPassword', 'newPassword'], sentAs: 'password change' },
);

const credentials = {
  username: text('Username or e-mail address.', { maxLength: 320 }),
  email: text('E-mail address.', { maxLength: 320 }),
  password: text('Password.', { maxLength: 256 }),
  code: text(
    'Code of the authenticator app, or a recovery code, if the user has a second factor. Without it, the response is 401 `SECOND_FACTOR_REQUIRED`.',
    { maxLength: 64 },
  ),
};
const loginV1 = noun(
  'credentials',
  {
    ...credentials,
    ttl: integer('Lifetime of the token in seconds, at most two weeks (the default).', { minimum: 1 }),
  },
  { sentAs: 'credentials' },
);
const loginV2 = noun(
  'credentials',
  {
    ...credentials,
    // A missing password has its own error message.
    password: required({ ...credentials.password, 'x-pattern': '[\\s\\S]' }),
    refreshable: integer(
      'How long the token can be refreshed after it expired, in seconds, at most 2 678 400. Without it, there is no refresh token.',
      { minimum: 0, maximum: MAX_REFRESH_S },
    ),
  },
  { sentAs: 'credentials' },
);
const refresh = noun(
  'refresh',
  {
    accessToken: text('Token to replace.', { minLength: 1 }),
    refreshToken: text('Refresh token. It can be used once.', { minLength: 1 }),
    refreshable: integer('How long the new token can be refreshed after it expired, in seconds.', {
      minimum: 0,
      maximum: MAX_REFRESH_S,
    }),
  },
  { required: ['accessToken', 'refreshToken', 'refreshable'], sentAs: 'token refresh' },
);

export type Credentials = Sent<typeof loginV1> | Sent<typeof loginV2>;

const accessToken = {
  id: Type.String({ description: 'Token.' }),
  ttl: Type.Integer({ description: 'Lifetime in seconds.' }),
  created: Type.String({ format: 'date-time', description: 'When the token was created.' }),
  userId: Type.Integer({ description: 'Id of the user.' }),
};
export const tokenV1 = Type.Object(accessToken, { title: 'access token' });
const tokenWithUser = Type.Object(
  { ...accessToken, user: Type.Optional({ ...answerOf(user), description: 'The user, with `include=user`.' }) },
  { title: 'access token with user' },
);
const tokenV2 = Type.Object(
  {
    token: Type.String({ description: 'Token.' }),
    expiry: Type.String({ format: 'date-time', description: 'When the token expires.' }),
    userId: Type.Integer({ description: 'Id of the user.' }),
    refreshToken: Type.Optional(Type.String({ description: 'Refresh token. It can be used once.' })),
    refreshTokenExpiry: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the refresh token expires.' }),
    ),
  },
  { title: 'token' },
);

const personalAccess = {
  id: id(),
  description: text('Purpose of the token.', { minLength: 1, maxLength: 200 }),
  created: time('When the token was created.', { readOnly: true }),
  expiresAt: time('When the token expires; in the year 9999 for a token that does not expire.', { readOnly: true }),
  ttl: integer(
    'Lifetime in seconds. Defaults to 30 days, at most one year. With the access `ingest`, 0 means that the token does not expire, and is the default.',
    {
      minimum: 0,
      maximum: 31_536_000,
      default: 2_592_000,
    },
  ),
  ...tokenLimits,
};
const everywhere = ['created', 'expiresAt', 'ttl', 'access'] as const;
const used = {
  lastUsed: time('When the token was last used, up to some minutes ago.', { readOnly: true }),
  lastAddress: text('Address of its last use.', { readOnly: true }),
};
export const personalAccessToken = noun('personalAccessToken', { ...personalAccess, ...used }, { always: everywhere });
const TOKEN =
  'Token. Returned only in this response: null where the response is repeated for its `Idempotency-Key`. If it was lost, delete the token and create another.';
export const shownOnce = noun(
  'personalAccessToken',
  { ...personalAccess, token: text(TOKEN, { readOnly: true, ...SHOWN_ONCE }) },
  { always: [...everywhere, 'token'], shownAs: 'created personal access token' },
);
/** The password is never part of a token, so it appears only in requests. */
export const newToken = noun(
  'personalAccessToken',
  {
    ...personalAccess,
    password: text('Password of the caller. Required unless the caller signed in within the last 15 minutes.', {
      maxLength: 256,
    }),
    code: proofCode,
  },
  { required: ['description'], always: [...everywhere, 'description'] },
);
const MOST_TOKENS_IN_PAGE = 100;
const tokenPage = Type.Object(
  {
    tokens: Type.Array(answerOf(personalAccessToken), { description: 'Tokens of this page.' }),
    limit: Type.Integer({ description: 'Tokens per page.' }),
    page: Type.Integer({ description: 'Number of this page, as requested.' }),
    total: Type.Integer({ description: 'Number of all tokens.' }),
  },
  { title: 'personalAccessToken page' },
);

const v2 = { versions: ['v2'] as const };
const both = { versions: ['v1', 'v2'] as const };
const guarded = { guarded: true };

export const userOperations = {
  login: operation('POST', '/users/login', 'anyone', {
    summary: 'Log in',
    description:
      'Send `username` or `email`, and `password`. After 10 failed attempts within 15 minutes, further attempts are rejected with 429.',
    query: { include: anything('`user`: the response also contains the user. Other values are ignored.') },
    body: { noun: loginV1, mode: 'create' },
    answer: tokenWithUser,
    ...guarded,
  }),
  logout: operation('POST', '/users/logout', 'user', {
    summary: 'Log out',
    description: 'Revokes the token of this request immediately.',
  }),
  loginV2: operation('POST', '/users/login', 'anyone', {
    summary: 'Log in',
    description:
      'Send `username` or `email`, and `password`. After 10 failed attempts within 15 minutes, further attempts are rejected with 429.',
    body: { noun: loginV2, mode: 'create' },
    answer: tokenV2,
    ...v2,
    ...guarded,
  }),
  logoutV2: operation('POST', '/users/logout', 'user', {
    summary: 'Log out',
    description: 'Revokes the token of this request immediately.',
    answer: nothing,
    ...v2,
  }),
  refreshToken: operation('POST', '/users/refreshToken', 'anyone', {
    summary: 'Refresh a token',
    description:
      'Replaces a token with its refresh token. Both old tokens are revoked. The same request within 30 seconds returns the same new tokens; using a refresh token again later ends its session.',
    body: { noun: refresh, mode: 'create' },
    answer: tokenV2,
    ...v2,
    ...guarded,
  }),
  listPersonalAccessTokens: operation('GET', '/users/personalAccessTokens', 'user', {
    summary: "List the caller's personal access tokens",
    query: {
      ...pageNumbers(MOST_TOKENS_IN_PAGE),
      page: integer('Page number, starting at 0. Use `_page`.', { minimum: 0, deprecated: true }),
      limit: integer('Tokens per page, at most 1000. Use `_limit`.', { minimum: 1, maximum: 1000, deprecated: true }),
    },
    answer: tokenPage,
    paging: { sortable: [], most: MOST_TOKENS_IN_PAGE },
    ...v2,
  }),
  createPersonalAccessToken: create(newToken, '/users/personalAccessTokens', 'user', {
    description:
      'The token is returned only in this response. A token is created only within 15 minutes after a sign-in, or with the `password`; otherwise the response is 403 `FRESH_SIGN_IN_REQUIRED`. A personal token cannot create tokens.',
    answer: answerOf(shownOnce),
    ...v2,
  }),
  deletePersonalAccessToken: remove(personalAccessToken, '/users/personalAccessTokens/{id}', 'user', {
    summary: 'Revoke a personal access token',
    answer: nothing,
    ...v2,
  }),

  setUp: operation('POST', '/setup', 'anyone', {
    summary: 'Create the first admin',
    description: 'Requires the one-time token of the setup link that the server prints at its first start.',
    refuses: [403],
    body: {
      noun: noun(
        'setup',
        {
          token: text('Token of the setup link.'),
          email: profile.email,
          password: password(`At least ${MIN_PASSWORD} characters.`),
        },
        { required: ['token', 'email', 'password'], sentAs: 'first admin' },
      ),
      mode: 'create',
    },
    answer: tokenV1,
    ...guarded,
  }),
  changePassword: operation('POST', '/users/change-password', 'user', {
    summary: "Change the caller's password",
    description: 'All other tokens of the caller are revoked.',
    body: { noun: newPassword, mode: 'create' },
    ...guarded,
  }),
  listUsers: list(user, '/users', 'admin'),
  countUsers: count(user, '/users', 'admin'),
  createUser: create(newUser, '/users', 'admin', {
    description:
      'To create an admin, a sign-in within the last 15 minutes is required; otherwise the response is 403 `FRESH_SIGN_IN_REQUIRED`.',
    answer: answerOf(user),
  }),
  getUser: read(user, '/users/{id}', 'self', both),
  updateUser: update(userUpdate, '/users/{id}', 'self', {
    description:
      'Changes only the fields that are sent. Only admins can change `admin`. To make a user an admin, or to set the password or the e-mail address of another admin, a sign-in within the last 15 minutes or `currentPassword` is required; otherwise the response is 403 `FRESH_SIGN_IN_REQUIRED`. A new password revokes all other tokens of the user. Where mail is set up, a new `email` of one’s own account becomes `newEmail` and takes effect when it is confirmed by the link mailed to it; otherwise it takes effect at once, unconfirmed. An address that an admin gives to another user counts as confirmed.',
    answer: answerOf(user),
  }),
  deleteUser: remove(user, '/users/{id}', 'admin', {
    refuses: [422],
    description:
      'Only possible if the user owns no device and is not the last admin. Deletes the tokens, geofences, triggers and shares of the user.',
  }),
};
