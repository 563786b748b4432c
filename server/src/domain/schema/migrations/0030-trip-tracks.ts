import type { Migration } from '../../../platform/storage/migrations.ts';

/** The way of a trip in one text, so that reports need not read its positions; null until it is packed. */
export const tripTracks: Migration = {
  name: '0030-trip-tracks',
  up: `
ALTER TABLE "trips" ADD COLUMN "track" {text};
CREATE INDEX "trips_unpacked" ON "trips" ("deviceId", "start") WHERE "track" IS NULL;
`,
};
