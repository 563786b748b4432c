import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * What was erased, as a signed record of it, and where copies of the data were made that an erasure does not reach. The
 * columns that name what was erased are no references: it is gone.
 */
export const erasures: Migration = {
  name: '0059-erasures',
  suitsOlderNodes: true,
  up: `
CREATE TABLE "erasures" (
  "id" {id},
  "kind" {text} NOT NULL,
  "subjectId" {integer} NOT NULL,
  "since" {time} NOT NULL,
  "requestedAt" {time} NOT NULL,
  "requestedBy" {integer},
  "completedAt" {time},
  "rows" {json},
  "deviceIds" {json},
  "record" {text},
  "signature" {text}
);
CREATE INDEX "erasures_open" ON "erasures" ("id") WHERE "completedAt" IS NULL;
CREATE INDEX "erasures_subject" ON "erasures" ("kind", "subjectId");
CREATE TABLE "dataCopies" (
  "id" {id},
  "kind" {text} NOT NULL,
  "place" {text} NOT NULL,
  "machine" {text} NOT NULL,
  "created" {time} NOT NULL,
  "updated" {time} NOT NULL
);
CREATE UNIQUE INDEX "dataCopies_place" ON "dataCopies" ("kind", "machine", "place");
`,
};
