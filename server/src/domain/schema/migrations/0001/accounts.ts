import { cascade, setNull, type Table } from '../../table.ts';

/** Accounts: sign-in, tokens, mail to people, and what users saved. */
export const ACCOUNTS: readonly Table[] = [
  {
    name: 'users',
    purpose: 'Accounts of people, and service accounts of programs.',
    columns: `
      "username" {text},
      "email" {text} NOT NULL,
      "name" {text},
      "admin" {flag} NOT NULL DEFAULT 0,
      "meta" {json},
      "passwordHash" {text} NOT NULL,
      "created" {time} NOT NULL,
      "timeZone" {text},
      "quietHours" {json},
      "emailConfirmedAt" {time},
      "newEmail" {text},
      "kind" {text} NOT NULL DEFAULT 'person',
      "hasSecondFactor" {flag} NOT NULL DEFAULT 0,
      "language" {text},
      "units" {json},
      "invitedBy" {integer}`,
    references: { invitedBy: setNull('users') },
    indexes: {
      invitedBy: '("invitedBy") WHERE "invitedBy" IS NOT NULL',
    },
    unique: {
      email: '("email")',
      username: '("username")',
      username_any_case: '(lower("username"))',
    },
  },
  {
    name: 'tokens',
    purpose: 'Access tokens: sessions, personal tokens, browsers and their tabs, MQTT passwords. Stored as hashes.',
    columns: `
      "userId" {integer} NOT NULL,
      "hash" {text} NOT NULL,
      "kind" {text} NOT NULL,
      "description" {text},
      "ttl" {integer} NOT NULL,
      "created" {time} NOT NULL,
      "expiresAt" {time} NOT NULL,
      "refreshHash" {text},
      "refreshUntil" {time},
      "signedInAt" {time},
      "lastUsed" {time},
      "lastAddress" {text},
      "agent" {text},
      "access" {text} NOT NULL DEFAULT 'full',
      "deviceIds" {json},
      "families" {json},
      "parentId" {integer}`,
    references: { userId: cascade('users'), parentId: cascade('tokens') },
    unique: {
      hash: '("hash")',
    },
    indexes: {
      userId: '("userId")',
      parentId: '("parentId") WHERE "parentId" IS NOT NULL',
      end: '(COALESCE("refreshUntil", "expiresAt"))',
    },
  },
  {
    name: 'spentRefreshTokens',
    purpose: 'Refresh tokens that were used, to detect their reuse.',
    key: ['hash'],
    columns: `
      "hash" {text} NOT NULL,
      "tokenId" {integer} NOT NULL,
      "accessHash" {text},
      "salt" {text},
      "spentAt" {time}`,
    references: { tokenId: cascade('tokens') },
    indexes: {
      tokenId: '("tokenId")',
    },
  },
  {
    name: 'authenticators',
    purpose: 'Authenticator apps (TOTP) of users. The secret is encrypted.',
    key: ['userId'],
    columns: `
      "userId" {integer} NOT NULL,
      "secret" {text} NOT NULL,
      "created" {time} NOT NULL,
      "confirmedAt" {time},
      "lastStep" {integer} NOT NULL DEFAULT 0`,
    references: { userId: cascade('users') },
  },
  {
    name: 'recoveryCodes',
    purpose: 'Hashes of the recovery codes of users with a second factor.',
    columns: `
      "userId" {integer} NOT NULL,
      "hash" {text} NOT NULL`,
    references: { userId: cascade('users') },
    indexes: {
      userId: '("userId")',
    },
  },
  {
    name: 'passkeys',
    purpose: 'Passkeys (WebAuthn credentials) of users.',
    columns: `
      "userId" {integer} NOT NULL,
      "name" {text} NOT NULL,
      "credentialId" {text} NOT NULL,
      "publicKey" {text} NOT NULL,
      "counter" {integer} NOT NULL,
      "transports" {json},
      "created" {time} NOT NULL,
      "lastUsedAt" {time}`,
    references: { userId: cascade('users') },
    unique: {
      credentialId: '("credentialId")',
    },
    indexes: {
      userId: '("userId")',
    },
  },
  {
    name: 'signInChallenges',
    purpose: 'Challenges that a passkey has yet to sign, each valid once.',
    key: ['challenge'],
    columns: `
      "challenge" {text} NOT NULL,
      "userId" {integer},
      "expiresAt" {time} NOT NULL`,
    references: { userId: cascade('users') },
    indexes: {
      userId: '("userId")',
      expiresAt: '("expiresAt")',
    },
  },
  {
    name: 'signInAddresses',
    purpose: 'Network addresses of the sign-ins of a user, to notify of new ones.',
    key: ['userId', 'address'],
    columns: `
      "userId" {integer} NOT NULL,
      "address" {text} NOT NULL,
      "at" {time} NOT NULL`,
    references: { userId: cascade('users') },
    indexes: {
      at: '("at")',
    },
  },
  {
    name: 'openidAccounts',
    purpose: 'Identities of users at an OpenID Connect provider.',
    columns: `
      "issuer" {text} NOT NULL,
      "subject" {text} NOT NULL,
      "userId" {integer} NOT NULL,
      "created" {time} NOT NULL`,
    references: { userId: cascade('users') },
    unique: {
      subject: '("issuer", "subject")',
    },
    indexes: {
      userId: '("userId")',
    },
  },
  {
    name: 'passwordFailures',
    purpose: 'Failed password attempts, to slow down guessing.',
    columns: `
      "account" {text} NOT NULL,
      "address" {text} NOT NULL,
      "at" {time} NOT NULL,
      "isUnderWay" {flag} NOT NULL DEFAULT 0`,
    indexes: {
      account: '("account", "at")',
      address: '("address", "at")',
      at: '("at")',
    },
  },
  {
    name: 'mailLinks',
    purpose: 'Single-use links sent by e-mail: confirmation, password reset, invitation.',
    columns: `
      "kind" {text} NOT NULL,
      "hash" {text} NOT NULL,
      "userId" {integer},
      "address" {text} NOT NULL,
      "subjectId" {integer},
      "created" {time} NOT NULL,
      "expiresAt" {time} NOT NULL`,
    references: { userId: cascade('users') },
    unique: {
      hash: '("hash")',
    },
    indexes: {
      userId: '("userId", "kind")',
      subjectId: '("subjectId", "kind")',
      expiresAt: '("expiresAt")',
    },
  },
  {
    name: 'invitations',
    purpose: 'Invitations of people who have no account yet.',
    columns: `
      "email" {text} NOT NULL,
      "name" {text},
      "admin" {flag} NOT NULL DEFAULT 0,
      "origin" {text} NOT NULL,
      "invitedBy" {integer},
      "created" {time} NOT NULL,
      "sent" {time},
      "expires" {time} NOT NULL`,
    references: { invitedBy: setNull('users') },
    unique: {
      email: '("email")',
    },
  },
  {
    name: 'mailRecipients',
    purpose: 'E-mail addresses that get notifications and reports of a user, and whether they are confirmed.',
    columns: `
      "userId" {integer} NOT NULL,
      "address" {text} NOT NULL,
      "confirmed" {time},
      "reportsStoppedAt" {time},
      "created" {time} NOT NULL`,
    references: { userId: cascade('users') },
    unique: {
      userId: '("userId", "address")',
    },
    indexes: {
      address: '("address")',
    },
  },
  {
    name: 'mailRefusals',
    purpose: 'E-mail addresses that asked for no more mail.',
    columns: `
      "address" {text} NOT NULL,
      "created" {time} NOT NULL`,
    unique: {
      address: '("address")',
    },
  },
  {
    name: 'accountMails',
    purpose: 'Account e-mails that were sent, to limit their number.',
    columns: `
      "kind" {text} NOT NULL,
      "userId" {integer},
      "address" {text} NOT NULL,
      "sentAt" {time} NOT NULL`,
    indexes: {
      userId: '("userId", "kind", "sentAt")',
      address: '("address", "kind", "sentAt")',
      sentAt: '("sentAt")',
    },
  },
  {
    name: 'savedViews',
    purpose: 'Filters and columns that users saved for pages of the console.',
    columns: `
      "userId" {integer} NOT NULL,
      "page" {text} NOT NULL,
      "name" {text} NOT NULL,
      "settings" {json} NOT NULL,
      "created" {time} NOT NULL`,
    references: { userId: cascade('users') },
    indexes: {
      userId: '("userId", "id")',
    },
  },
];
