import type { Migration } from '../../../platform/storage/migrations.ts';

/** What triggers have fired on that is judged by the clock of each server: one row decides which server notifies. */
export const firedOccasions: Migration = {
  name: '0007-fired-occasions',
  up: `
CREATE TABLE "firedOccasions" (
  "triggerId" {integer} NOT NULL REFERENCES "notificationTriggers" ("id") ON DELETE CASCADE,
  "occasion" {time} NOT NULL,
  PRIMARY KEY ("triggerId", "occasion")
);
`,
};
