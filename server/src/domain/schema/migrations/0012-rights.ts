import type { Migration } from '../../../platform/storage/migrations.ts';

/** The other device that a delivery speaks of, and what a digest holds: both are asked for before anything is sent. */
export const rights: Migration = {
  name: '0012-rights',
  up: `
ALTER TABLE "outbox" ADD COLUMN "otherDeviceId" {integer};
CREATE INDEX "outbox_digestId" ON "outbox" ("digestId") WHERE "digestId" IS NOT NULL;
`,
};
