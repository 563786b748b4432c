import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * How long the history of a device is stored, where its owner or its plan says so; and how far it was forgotten and thinned,
 * which is how far back nothing is judged again. An older node would judge it again, and cannot read the short entries of
 * the live log that come with this version.
 */
export const retention: Migration = {
  name: '0067-retention',
  up: `
ALTER TABLE "devices" ADD COLUMN "keepDays" {integer};
ALTER TABLE "plans" ADD COLUMN "keepDays" {integer};
ALTER TABLE "deviceStates" ADD COLUMN "keepDays" {integer};
ALTER TABLE "deviceStates" ADD COLUMN "forgottenUntil" {time};
ALTER TABLE "deviceStates" ADD COLUMN "thinnedUntil" {time};
`,
};
