import type { Migration } from '../../../platform/storage/migrations.ts';

/** Counts what people got within the last minute, whatever the channel: the index names none of them. */
export const channels: Migration = {
  name: '0009-channels',
  up: `
DROP INDEX "outbox_people";
CREATE INDEX "outbox_people" ON "outbox" ("userId", "channel", "created") WHERE "forwarderId" IS NULL;
`,
};
