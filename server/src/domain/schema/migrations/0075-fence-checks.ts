import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * What was found of a fence of one device and is not shown by the fence yet. It has rows only where PostgreSQL is spread
 * over servers: every server has all fences, and a row here is at the server of the device.
 */
export const fenceChecks: Migration = {
  name: '0075-fence-checks',
  suitsOlderNodes: true,
  up: (storeKind) => `
CREATE TABLE "fenceChecks" (${storeKind === 'sqlite' ? '' : '\n  "slot" SMALLINT NOT NULL,'}
  "deviceId" {integer} NOT NULL,
  "fenceId" {integer} NOT NULL,
  "wasInside" {flag} NOT NULL,
  "lastChecked" {time} NOT NULL,
  PRIMARY KEY (${storeKind === 'sqlite' ? '' : '"slot", '}"deviceId", "fenceId")
);
`,
};
