import type { Migration } from '../../../platform/storage/migrations.ts';

/** Marks devices of which inputs that came in order wait to be judged. */
export const rest: Migration = {
  name: '0017-rest',
  up: `ALTER TABLE "deviceStates" ADD COLUMN "hasRest" {flag} NOT NULL DEFAULT 0;`,
};
