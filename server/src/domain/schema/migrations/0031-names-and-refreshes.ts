import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Usernames are unique regardless of case. Where two users have had such names before, the one who came first keeps the
 * claim to it; the others are marked, and keep their names until somebody changes them.
 *
 * A refresh token that was just used is answered once more with the same new tokens, for whoever sent it twice at once.
 * They are made of it and of the salt, so that they need not be stored.
 */
export const namesAndRefreshes: Migration = {
  name: '0031-names-and-refreshes',
  up: `
ALTER TABLE "users" ADD COLUMN "usernameClash" {flag} NOT NULL DEFAULT 0;
UPDATE "users" SET "usernameClash" = 1 WHERE "username" IS NOT NULL AND EXISTS (
  SELECT 1 FROM "users" AS other WHERE lower(other."username") = lower("users"."username") AND other."id" < "users"."id"
);
CREATE UNIQUE INDEX "users_username_any_case" ON "users" (lower("username")) WHERE "usernameClash" = 0;
ALTER TABLE "spentRefreshTokens" ADD COLUMN "accessHash" {text};
ALTER TABLE "spentRefreshTokens" ADD COLUMN "salt" {text};
ALTER TABLE "spentRefreshTokens" ADD COLUMN "spentAt" {time};
`,
};
