import type { Migration } from '../../../platform/storage/migrations.ts';

/** Who did what: sign-ins, and changes of rights, keys, tokens and rules. Entries outlive the users they speak of. */
export const audit: Migration = {
  name: '0011-audit',
  up: `
CREATE TABLE "auditEntries" (
  "id" {id},
  "at" {time} NOT NULL,
  "action" {text} NOT NULL,
  "actorId" {integer},
  "actor" {text},
  "tokenId" {integer},
  "address" {text},
  "userId" {integer},
  "deviceId" {integer},
  "detail" {json}
);
CREATE INDEX "auditEntries_at" ON "auditEntries" ("at");
CREATE INDEX "auditEntries_user" ON "auditEntries" ("userId", "id");
CREATE INDEX "auditEntries_actor" ON "auditEntries" ("actorId", "id");
CREATE INDEX "auditEntries_device" ON "auditEntries" ("deviceId", "id");
`,
};
