import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * What live streams tell, in the order it was committed. It has no other index than its key: nothing on the path of a
 * fix is written so often.
 */
export const live: Migration = {
  name: '0003-live',
  up: `
CREATE TABLE "liveEvents" (
  "id" {id},
  "created" {time} NOT NULL,
  "deviceId" {integer} NOT NULL,
  "otherDeviceId" {integer},
  "userId" {integer},
  "kind" {text} NOT NULL,
  "event" {text} NOT NULL
);
`,
};
