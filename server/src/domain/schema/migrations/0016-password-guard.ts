import type { Migration } from '../../../platform/storage/migrations.ts';

/** Wrong passwords of the last hour, and the addresses from which each user signed in. */
export const passwordGuard: Migration = {
  name: '0016-password-guard',
  up: `
CREATE TABLE "passwordFailures" (
  "id" {id},
  "account" {text} NOT NULL,
  "address" {text} NOT NULL,
  "at" {time} NOT NULL
);
CREATE INDEX "passwordFailures_account" ON "passwordFailures" ("account", "at");
CREATE INDEX "passwordFailures_address" ON "passwordFailures" ("address", "at");
CREATE INDEX "passwordFailures_at" ON "passwordFailures" ("at");
CREATE TABLE "signInAddresses" (
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "address" {text} NOT NULL,
  "at" {time} NOT NULL,
  PRIMARY KEY ("userId", "address")
);
`,
};
