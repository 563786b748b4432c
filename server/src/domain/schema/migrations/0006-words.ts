import type { Migration } from '../../../platform/storage/migrations.ts';

/** Names as the glossary has them: late marks, leases of replays, fences of users, devices in proximity. */
export const words: Migration = {
  name: '0006-words',
  up: `
ALTER TABLE "deviceStates" RENAME COLUMN "dirtyFrom" TO "lateFrom";
ALTER TABLE "deviceStates" RENAME COLUMN "appends" TO "writes";
ALTER TABLE "deviceStates" RENAME COLUMN "inHandFrom" TO "replayFrom";
ALTER TABLE "deviceStates" RENAME COLUMN "inHandBy" TO "replayBy";
ALTER TABLE "deviceStates" RENAME COLUMN "inHandUntil" TO "replayUntil";
DROP INDEX "deviceStates_dirtyFrom";
CREATE INDEX "deviceStates_lateFrom" ON "deviceStates" ("lateFrom") WHERE "lateFrom" IS NOT NULL;
ALTER TABLE "fenceBooks" RENAME TO "userFences";
ALTER TABLE "nearnesses" RENAME TO "proximities";
`,
};
