import type { Migration } from '../../../platform/storage/migrations.ts';

/** From when on the positions of a minute are to be looked at: those before stay as they are. */
export const placeSince: Migration = {
  name: '0036-place-since',
  suitsOlderNodes: true,
  up: `
ALTER TABLE "placesDue" ADD COLUMN "since" {time} NOT NULL DEFAULT 0;
`,
};
