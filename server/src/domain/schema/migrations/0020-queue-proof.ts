import type { Migration } from '../../../platform/storage/migrations.ts';

/** A queue is proven by a code that arrives in it. Whoever held one before keeps it. */
export const queueProof: Migration = {
  name: '0020-queue-proof',
  up: `
ALTER TABLE "queueHolders" ADD COLUMN "provenAt" {time};
UPDATE "queueHolders" SET "provenAt" = "created";
CREATE TABLE "queueProofs" (
  "id" {id},
  "arn" {text} NOT NULL,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "hash" {text} NOT NULL,
  "created" {time} NOT NULL
);
CREATE INDEX "queueProofs_userId" ON "queueProofs" ("userId", "created");
CREATE INDEX "queueProofs_created" ON "queueProofs" ("created");
`,
};
