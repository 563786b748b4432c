import type { Migration } from '../../../platform/storage/migrations.ts';

/** Until when a user has credentials for the MQTT broker, read with the version of the user's fences. */
export const listeners: Migration = {
  name: '0026-listeners',
  up: `
ALTER TABLE "userFences" ADD COLUMN "listensUntil" {time};
`,
};
