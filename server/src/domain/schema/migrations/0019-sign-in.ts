import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * The sign-in of a browser, whose tabs have short tokens of their own; second factors, passkeys, accounts of OpenID
 * Connect, and accounts for programs.
 */
export const signIn: Migration = {
  name: '0019-sign-in',
  up: `
ALTER TABLE "tokens" ADD COLUMN "parentId" {integer} REFERENCES "tokens" ("id") ON DELETE CASCADE;
CREATE INDEX "tokens_parentId" ON "tokens" ("parentId") WHERE "parentId" IS NOT NULL;

ALTER TABLE "users" ADD COLUMN "kind" {text} NOT NULL DEFAULT 'person';
ALTER TABLE "users" ADD COLUMN "hasSecondFactor" {flag} NOT NULL DEFAULT 0;

CREATE TABLE "authenticators" (
  "userId" {integer} PRIMARY KEY REFERENCES "users" ("id") ON DELETE CASCADE,
  "secret" {text} NOT NULL,
  "created" {time} NOT NULL,
  "confirmedAt" {time},
  "lastStep" {integer} NOT NULL DEFAULT 0
);

CREATE TABLE "recoveryCodes" (
  "id" {id},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "hash" {text} NOT NULL
);
CREATE INDEX "recoveryCodes_userId" ON "recoveryCodes" ("userId");

CREATE TABLE "passkeys" (
  "id" {id},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "name" {text} NOT NULL,
  "credentialId" {text} NOT NULL,
  "publicKey" {text} NOT NULL,
  "counter" {integer} NOT NULL,
  "transports" {json},
  "created" {time} NOT NULL,
  "lastUsedAt" {time}
);
CREATE UNIQUE INDEX "passkeys_credentialId" ON "passkeys" ("credentialId");
CREATE INDEX "passkeys_userId" ON "passkeys" ("userId");

CREATE TABLE "signInChallenges" (
  "challenge" {text} PRIMARY KEY,
  "userId" {integer} REFERENCES "users" ("id") ON DELETE CASCADE,
  "expiresAt" {time} NOT NULL
);
CREATE INDEX "signInChallenges_userId" ON "signInChallenges" ("userId");
CREATE INDEX "signInChallenges_expiresAt" ON "signInChallenges" ("expiresAt");

CREATE TABLE "openidAccounts" (
  "id" {id},
  "issuer" {text} NOT NULL,
  "subject" {text} NOT NULL,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "openidAccounts_subject" ON "openidAccounts" ("issuer", "subject");
CREATE INDEX "openidAccounts_userId" ON "openidAccounts" ("userId");
`,
};
