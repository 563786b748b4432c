import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * The processes that share a database know of each other, and of what each has counted. A try of a password is a row
 * before it is verified, so that all of them count it.
 */
export const nodes: Migration = {
  name: '0034-nodes',
  up: `
CREATE TABLE "nodes" (
  "id" {text} PRIMARY KEY,
  "name" {text} NOT NULL,
  "version" {text} NOT NULL,
  "schema" {text} NOT NULL,
  "address" {text} NOT NULL,
  "startedAt" {time} NOT NULL,
  "seenAt" {time} NOT NULL,
  "goneAt" {time},
  "lagMs" {integer} NOT NULL,
  "clockAheadMs" {integer} NOT NULL,
  "figures" {json} NOT NULL,
  "owns" {json} NOT NULL
);
CREATE TABLE "rateCounts" (
  "minute" {integer} NOT NULL,
  "name" {text} NOT NULL,
  "key" {text} NOT NULL,
  "count" {integer} NOT NULL,
  PRIMARY KEY ("minute", "name", "key")
);
ALTER TABLE "passwordFailures" ADD COLUMN "isUnderWay" {flag} NOT NULL DEFAULT 0;
`,
};
