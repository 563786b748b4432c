import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Positions that will hardly change any more, packed: one row for a device and a day. A row is written whole and never
 * changed: what changes in it gets a new id.
 */
export const segments: Migration = {
  name: '0057-segments',
  up: (storeKind) => `${storeKind === 'sqlite' ? '' : '\nCREATE SEQUENCE "segments_ids";'}
CREATE TABLE "segments" (
  "id" ${storeKind === 'sqlite' ? '{id}' : `BIGINT NOT NULL DEFAULT nextval('"segments_ids"')`},
  "slot" ${storeKind === 'sqlite' ? '{integer}' : 'SMALLINT'} NOT NULL,
  "deviceId" {integer} NOT NULL,
  "first" {time} NOT NULL,
  "last" {time} NOT NULL,
  "count" {integer} NOT NULL,
  "lowId" {integer} NOT NULL,
  "highId" {integer} NOT NULL,
  "firstCreated" {time} NOT NULL,
  "lastCreated" {time} NOT NULL,
  "south" {number},
  "west" {number},
  "north" {number},
  "east" {number},
  "data" {bytes} NOT NULL${storeKind === 'sqlite' ? '' : ',\n  PRIMARY KEY ("slot", "deviceId", "first")'}
);
${
  storeKind === 'sqlite'
    ? 'CREATE UNIQUE INDEX "segments_device" ON "segments" ("slot", "deviceId", "first");'
    : // What is packed cannot be made shorter.
      `ALTER TABLE "segments" ALTER COLUMN "data" SET STORAGE EXTERNAL;
ALTER SEQUENCE "segments_ids" OWNED BY "segments"."id";`
}
`,
};
