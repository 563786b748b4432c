import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Imports of history. A device of which history is imported notes from when on it must be judged, and until when nobody
 * is told what happened.
 */
export const historyImports: Migration = {
  name: '0048-history-imports',
  suitsOlderNodes: true,
  up: `
ALTER TABLE "deviceStates" ADD COLUMN "silentUntil" {time};
ALTER TABLE "deviceStates" ADD COLUMN "importFrom" {time};
ALTER TABLE "deviceStates" ADD COLUMN "rebuilds" {flag} NOT NULL DEFAULT 0;
CREATE TABLE "historyImports" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "userId" {integer} REFERENCES "users" ("id") ON DELETE SET NULL,
  "name" {text},
  "format" {text},
  "status" {text} NOT NULL,
  "received" {integer} NOT NULL DEFAULT 0,
  "stored" {integer} NOT NULL DEFAULT 0,
  "duplicates" {integer} NOT NULL DEFAULT 0,
  "refused" {integer} NOT NULL DEFAULT 0,
  "firstAt" {time},
  "lastAt" {time},
  "created" {time} NOT NULL,
  "touched" {time} NOT NULL,
  "ended" {time}
);
CREATE INDEX "historyImports_deviceId" ON "historyImports" ("deviceId", "id");
CREATE INDEX "historyImports_userId" ON "historyImports" ("userId");
CREATE INDEX "historyImports_open" ON "historyImports" ("touched") WHERE "status" <> 'done';
`,
};
