import type { Migration } from '../../../platform/storage/migrations.ts';

/** Public pages of devices for a time. Of a secret, only its hash is stored. */
export const links: Migration = {
  name: '0044-links',
  suitsOlderNodes: true,
  up: `
CREATE TABLE "links" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "handle" {text} NOT NULL,
  "secret" {text} NOT NULL,
  "name" {text},
  "expiresAt" {time} NOT NULL,
  "trail" {flag} NOT NULL,
  "destinationLat" {number},
  "destinationLng" {number},
  "destinationName" {text},
  "origins" {json},
  "views" {integer} NOT NULL DEFAULT 0,
  "lastViewedAt" {time},
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "links_handle" ON "links" ("handle");
CREATE INDEX "links_deviceId" ON "links" ("deviceId", "id");
CREATE INDEX "links_userId" ON "links" ("userId", "id");
CREATE INDEX "links_expiresAt" ON "links" ("expiresAt");
`,
};
