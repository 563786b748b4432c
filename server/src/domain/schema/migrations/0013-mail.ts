import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Shares by address: a grant is what an owner gave to an address or a user, and `shares` is what follows from all grants
 * for those who have an account. Besides, confirmed addresses, links by mail, invitations, and who may be mailed.
 */
export const mail: Migration = {
  name: '0013-mail',
  up: `
ALTER TABLE "users" ADD COLUMN "emailConfirmedAt" {time};
UPDATE "users" SET "emailConfirmedAt" = "created";
ALTER TABLE "users" ADD COLUMN "newEmail" {text};

ALTER TABLE "shares" RENAME TO "shareGrants";
DROP INDEX "shares_deviceId";
DROP INDEX "shares_userId";
ALTER TABLE "shareGrants" RENAME COLUMN "userId" TO "sharedWith";
ALTER TABLE "shareGrants" ADD COLUMN "userId" {integer} REFERENCES "users" ("id") ON DELETE CASCADE;
ALTER TABLE "shareGrants" ADD COLUMN "holderId" {integer} REFERENCES "users" ("id") ON DELETE SET NULL;
UPDATE "shareGrants" SET "userId" = "sharedWith", "holderId" = "sharedWith";
ALTER TABLE "shareGrants" DROP COLUMN "sharedWith";
CREATE INDEX "shareGrants_deviceId" ON "shareGrants" ("deviceId", "id");
CREATE INDEX "shareGrants_holderId" ON "shareGrants" ("holderId", "deviceId");
CREATE UNIQUE INDEX "shareGrants_userId" ON "shareGrants" ("deviceId", "userId") WHERE "userId" IS NOT NULL;
CREATE UNIQUE INDEX "shareGrants_email" ON "shareGrants" ("deviceId", "email") WHERE "userId" IS NULL;
CREATE INDEX "shareGrants_waiting" ON "shareGrants" ("email") WHERE "holderId" IS NULL;

CREATE TABLE "shares" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "rights" {text} NOT NULL,
  "created" {time} NOT NULL
);
INSERT INTO "shares" ("deviceId", "userId", "rights", "created")
  SELECT "deviceId", "holderId", "rights", "created" FROM "shareGrants" ORDER BY "id";
CREATE UNIQUE INDEX "shares_deviceId" ON "shares" ("deviceId", "userId");
CREATE INDEX "shares_userId" ON "shares" ("userId", "deviceId");

CREATE TABLE "mailLinks" (
  "id" {id},
  "kind" {text} NOT NULL,
  "hash" {text} NOT NULL,
  "userId" {integer} REFERENCES "users" ("id") ON DELETE CASCADE,
  "address" {text} NOT NULL,
  "about" {integer},
  "created" {time} NOT NULL,
  "expires" {time} NOT NULL
);
CREATE UNIQUE INDEX "mailLinks_hash" ON "mailLinks" ("hash");
CREATE INDEX "mailLinks_userId" ON "mailLinks" ("userId", "kind");
CREATE INDEX "mailLinks_about" ON "mailLinks" ("about", "kind");
CREATE INDEX "mailLinks_expires" ON "mailLinks" ("expires");

CREATE TABLE "invitations" (
  "id" {id},
  "email" {text} NOT NULL,
  "name" {text},
  "admin" {flag} NOT NULL DEFAULT 0,
  "origin" {text} NOT NULL,
  "invitedBy" {integer} REFERENCES "users" ("id") ON DELETE SET NULL,
  "created" {time} NOT NULL,
  "sent" {time},
  "expires" {time} NOT NULL
);
CREATE UNIQUE INDEX "invitations_email" ON "invitations" ("email");

CREATE TABLE "mailRecipients" (
  "id" {id},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "address" {text} NOT NULL,
  "confirmed" {time},
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "mailRecipients_userId" ON "mailRecipients" ("userId", "address");
CREATE INDEX "mailRecipients_address" ON "mailRecipients" ("address");

CREATE TABLE "mailRefusals" (
  "id" {id},
  "address" {text} NOT NULL,
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "mailRefusals_address" ON "mailRefusals" ("address");

CREATE TABLE "mailings" (
  "id" {id},
  "what" {text} NOT NULL,
  "userId" {integer},
  "address" {text} NOT NULL,
  "at" {time} NOT NULL
);
CREATE INDEX "mailings_userId" ON "mailings" ("userId", "what", "at");
CREATE INDEX "mailings_address" ON "mailings" ("address", "what", "at");
CREATE INDEX "mailings_at" ON "mailings" ("at");

CREATE INDEX "outbox_account" ON "outbox" ("id") WHERE "what" = 'account' AND "content" <> '{}';
`,
};
