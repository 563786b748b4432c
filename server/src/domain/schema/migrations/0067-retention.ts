import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * How long the history of a device is stored, where its owner or its plan says so; and how far it was forgotten and thinned,
 * which is how far back nothing is judged again.
 */
export const retention: Migration = {
  name: '0067-retention',
  suitsOlderNodes: true,
  up: `
ALTER TABLE "devices" ADD COLUMN "keepDays" {integer};
ALTER TABLE "plans" ADD COLUMN "keepDays" {integer};
ALTER TABLE "deviceStates" ADD COLUMN "keepDays" {integer};
ALTER TABLE "deviceStates" ADD COLUMN "forgottenUntil" {time};
ALTER TABLE "deviceStates" ADD COLUMN "thinnedUntil" {time};
`,
};
