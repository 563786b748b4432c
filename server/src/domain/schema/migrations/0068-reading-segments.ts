import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Readings that will hardly change any more, packed: one row for a day of what one gateway told of one device, or of what
 * a device told of itself. A row is written whole and never changed, but for the device that it no longer names. `types`
 * lists the types of its readings, each as JSON with a comma before and behind it.
 */
export const readingSegments: Migration = {
  name: '0068-reading-segments',
  up: (storeKind) => `${storeKind === 'sqlite' ? '' : '\nCREATE SEQUENCE "readingSegments_ids";'}
CREATE TABLE "readingSegments" (
  "id" ${storeKind === 'sqlite' ? '{id}' : `BIGINT NOT NULL DEFAULT nextval('"readingSegments_ids"')`},
  "slot" ${storeKind === 'sqlite' ? '{integer}' : 'SMALLINT'} NOT NULL,
  "gatewayId" {integer},
  "deviceId" {integer},
  "first" {time} NOT NULL,
  "last" {time} NOT NULL,
  "count" {integer} NOT NULL,
  "lowId" {integer} NOT NULL,
  "highId" {integer} NOT NULL,
  "types" {text} NOT NULL,
  "data" {bytes} NOT NULL${storeKind === 'sqlite' ? '' : ',\n  PRIMARY KEY ("slot", "id")'}
);
CREATE INDEX "readingSegments_gateway" ON "readingSegments" ("gatewayId", "first", "last");
CREATE INDEX "readingSegments_device" ON "readingSegments" ("deviceId", "first", "last");
${
  storeKind === 'sqlite'
    ? ''
    : // What is packed cannot be made shorter.
      `ALTER TABLE "readingSegments" ALTER COLUMN "data" SET STORAGE EXTERNAL;
ALTER SEQUENCE "readingSegments_ids" OWNED BY "readingSegments"."id";`
}
`,
};
