import type { Migration } from '../../../platform/storage/migrations.ts';

/** The secret with which a phone encrypts its reports. */
export const deviceSecret: Migration = {
  name: '0008-device-secret',
  up: `
ALTER TABLE "devices" ADD COLUMN "secret" {text};
`,
};
