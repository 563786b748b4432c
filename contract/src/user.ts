import { Type } from 'typebox';
import { answerOf, count, create, list, operation, read, remove, update } from './operation.ts';
import { flag, id, integer, noun, object, type Sent, text, time } from './schema.ts';

export const MIN_PASSWORD = 8;
const password = (description: string) => text(description, { minLength: MIN_PASSWORD, maxLength: 256 });

const profile = {
  id: id(),
  username: text('Another name to sign in with.', { minLength: 1, maxLength: 100 }),
  email: text('To sign in with, and where mail goes.', { minLength: 3, maxLength: 320 }),
  name: text('Full name.', { maxLength: 200 }),
  admin: flag('Whether they may read and change everything.', { default: false }),
  meta: object('Whatever else belongs to them.'),
  timeZone: text('An IANA name like Europe/Berlin, for the times in mails and for quiet hours; UTC where unset.', {
    minLength: 1,
    maxLength: 64,
  }),
  quietHours: Type.Object(
    {
      from: Type.String({ maxLength: 5, description: 'As 22:00.' }),
      to: Type.String({ maxLength: 5, description: 'As 07:00.' }),
    },
    {
      description:
        'Between these hours, by the clock of timeZone, push and e-mail wait and come as one at the end. Buttons, drops and alerts come at once.',
    },
  ),
  created: time('When the account was made.', { readOnly: true }),
};

export const user = noun('user', profile, { always: ['email', 'admin', 'created'] });
const newUser = noun(
  'user',
  { ...profile, password: password(`At least ${MIN_PASSWORD} characters.`) },
  { required: ['email', 'password'], always: ['email', 'admin', 'password'] },
);
const userUpdate = noun(
  'user',
  {
    ...profile,
    password: password('A new password. Signs the user out everywhere else.'),
    currentPassword: text('Needed by a user who changes their own password or e-mail address.'),
  },
  { always: ['email', 'admin', 'password'] },
);
const newPassword = noun(
  'password',
  { oldPassword: text('The one in use.'), newPassword: password(`At least ${MIN_PASSWORD} characters.`) },
  { required: ['oldPassword', 'newPassword'] },
);

const credentials = {
  username: text('Username or e-mail address.', { maxLength: 320 }),
  email: text('E-mail address.', { maxLength: 320 }),
  password: text('The password.', { maxLength: 256 }),
};
const loginV1 = noun('credentials', {
  ...credentials,
  ttl: integer('Seconds the token lives; at most two weeks.', { minimum: 1 }),
});
const loginV2 = noun('credentials', {
  ...credentials,
  refreshable: integer('Seconds after its expiry in which the token can be refreshed.', { minimum: 0 }),
});
const refresh = noun('refresh', {
  accessToken: text('The token to replace.'),
  refreshToken: text('Its refresh token; works once.'),
  refreshable: integer('As in login.', { minimum: 0 }),
});

export type Credentials = Sent<typeof loginV1> | Sent<typeof loginV2>;

const tokenV1 = Type.Object(
  {
    id: Type.String({ description: 'The token.' }),
    ttl: Type.Integer(),
    created: Type.String({ format: 'date-time' }),
    userId: Type.Integer(),
  },
  { title: 'access token' },
);
const tokenV2 = Type.Object(
  {
    token: Type.String(),
    expiry: Type.String({ format: 'date-time' }),
    userId: Type.Integer(),
    refreshToken: Type.Optional(Type.String()),
    refreshTokenExpiry: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { title: 'token' },
);

const personalAccess = {
  id: id(),
  description: text('What it is for.', { maxLength: 200 }),
  created: time('When it was made.', { readOnly: true }),
  expiresAt: time('When it ends.', { readOnly: true }),
  ttl: integer('Seconds it lives; a month by default, a year at most.', {
    minimum: 1,
    maximum: 31_536_000,
    default: 2_592_000,
  }),
};
const everywhere = ['created', 'expiresAt', 'ttl'] as const;
export const personalAccessToken = noun('personalAccessToken', personalAccess, { always: everywhere });
const shownOnce = noun(
  'personalAccessToken',
  { ...personalAccess, token: text('The token. Shown this once.', { readOnly: true }) },
  { always: [...everywhere, 'token'] },
);
const page = Type.Object({
  tokens: Type.Array(answerOf(personalAccessToken)),
  page: Type.Integer(),
  limit: Type.Integer(),
  total: Type.Integer(),
});

const v2 = { versions: ['v2'] as const };
const both = { versions: ['v1', 'v2'] as const };
const guarded = { guarded: true };

export const userOperations = {
  login: operation('POST', '/users/login', 'anyone', {
    summary: 'Log in',
    body: { noun: loginV1, mode: 'create' },
    answer: tokenV1,
    ...guarded,
  }),
  logout: operation('POST', '/users/logout', 'user', {
    summary: 'Log out: the token is dead at once',
  }),
  loginV2: operation('POST', '/users/login', 'anyone', {
    summary: 'Log in',
    body: { noun: loginV2, mode: 'create' },
    answer: tokenV2,
    ...v2,
    ...guarded,
  }),
  logoutV2: operation('POST', '/users/logout', 'user', {
    summary: 'Log out: the token is dead at once',
    answer: Type.Object({}),
    ...v2,
  }),
  refreshToken: operation('POST', '/users/refreshToken', 'anyone', {
    summary: 'Trade a refresh token for a new token',
    body: { noun: refresh, mode: 'create' },
    answer: tokenV2,
    ...v2,
    ...guarded,
  }),
  listPersonalAccessTokens: operation('GET', '/users/personalAccessTokens', 'user', {
    summary: "List the caller's long-lived tokens",
    query: { page: integer('From 0.', { minimum: 0 }), limit: integer('At most 1000.', { minimum: 1, maximum: 1000 }) },
    answer: page,
    ...v2,
  }),
  createPersonalAccessToken: create(shownOnce, '/users/personalAccessTokens', 'user', {
    summary: 'Make a long-lived token; it is in this answer and nowhere else',
    ...v2,
  }),
  deletePersonalAccessToken: remove(personalAccessToken, '/users/personalAccessTokens/{id}', 'user', v2),

  setUp: operation('POST', '/setup', 'anyone', {
    summary: 'Make the first admin with the one-time set-up token',
    body: {
      noun: noun(
        'setup',
        { token: text('Out of the set-up link.'), email: profile.email, password: password('At least 8 characters.') },
        { required: ['token', 'email', 'password'] },
      ),
      mode: 'create',
    },
    answer: tokenV1,
    ...guarded,
  }),
  changePassword: operation('POST', '/users/change-password', 'user', {
    summary: "Change the caller's password; other sessions end",
    body: { noun: newPassword, mode: 'create' },
    ...guarded,
  }),
  listUsers: list(user, '/users', 'admin'),
  countUsers: count(user, '/users', 'admin'),
  createUser: create(newUser, '/users', 'admin', { answer: answerOf(user) }),
  getUser: read(user, '/users/{id}', 'self', both),
  updateUser: update(userUpdate, '/users/{id}', 'self', { answer: answerOf(user) }),
  deleteUser: remove(user, '/users/{id}', 'admin', {
    description: 'Only one who owns no device. Their tokens, geofences, triggers and shares go with them.',
  }),
};
