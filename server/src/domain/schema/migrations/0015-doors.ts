import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Tokens: when their bearer really signed in, when and from where they were last used, and what they are limited to. A
 * refresh token that was used is kept as long as its session, so that using it again ends the session.
 */
export const doors: Migration = {
  name: '0015-doors',
  up: `
ALTER TABLE "tokens" ADD COLUMN "signedInAt" {time};
ALTER TABLE "tokens" ADD COLUMN "lastUsed" {time};
ALTER TABLE "tokens" ADD COLUMN "lastAddress" {text};
ALTER TABLE "tokens" ADD COLUMN "agent" {text};
ALTER TABLE "tokens" ADD COLUMN "access" {text} NOT NULL DEFAULT 'full';
ALTER TABLE "tokens" ADD COLUMN "deviceIds" {json};
ALTER TABLE "tokens" ADD COLUMN "families" {json};

CREATE TABLE "spentRefreshTokens" (
  "hash" {text} PRIMARY KEY,
  "tokenId" {integer} NOT NULL REFERENCES "tokens" ("id") ON DELETE CASCADE
);
CREATE INDEX "spentRefreshTokens_tokenId" ON "spentRefreshTokens" ("tokenId");

ALTER TABLE "auditEntries" ADD COLUMN "count" {integer} NOT NULL DEFAULT 1;
ALTER TABLE "auditEntries" ADD COLUMN "occasion" {text};
CREATE UNIQUE INDEX "auditEntries_occasion" ON "auditEntries" ("occasion");
CREATE INDEX "auditEntries_action" ON "auditEntries" ("action", "id");
`,
};
