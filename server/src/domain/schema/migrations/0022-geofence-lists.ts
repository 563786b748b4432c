import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Lists of geofences, and who is a member of them. A grant is what a member gave to an address; it waits until an account
 * has that confirmed address. Besides, what finds the safe zone of a configuration from either side.
 */
export const geofenceLists: Migration = {
  name: '0022-geofence-lists',
  up: `
CREATE TABLE "geofenceLists" (
  "id" {id},
  "name" {text} NOT NULL,
  "color" {text} NOT NULL,
  "ownerId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "created" {time} NOT NULL
);
CREATE INDEX "geofenceLists_ownerId" ON "geofenceLists" ("ownerId", "id");

CREATE TABLE "geofenceListUsers" (
  "id" {id},
  "listId" {integer} NOT NULL REFERENCES "geofenceLists" ("id") ON DELETE CASCADE,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "byId" {flag} NOT NULL,
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "geofenceListUsers_listId" ON "geofenceListUsers" ("listId", "userId");
CREATE INDEX "geofenceListUsers_userId" ON "geofenceListUsers" ("userId", "listId");

CREATE TABLE "geofenceListGrants" (
  "id" {id},
  "listId" {integer} NOT NULL REFERENCES "geofenceLists" ("id") ON DELETE CASCADE,
  "email" {text} NOT NULL,
  "holderId" {integer} REFERENCES "users" ("id") ON DELETE SET NULL,
  "givenBy" {integer} REFERENCES "users" ("id") ON DELETE SET NULL,
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "geofenceListGrants_email" ON "geofenceListGrants" ("listId", "email");
CREATE INDEX "geofenceListGrants_holderId" ON "geofenceListGrants" ("holderId", "listId");
CREATE INDEX "geofenceListGrants_givenBy" ON "geofenceListGrants" ("givenBy", "email");
CREATE INDEX "geofenceListGrants_waiting" ON "geofenceListGrants" ("email") WHERE "holderId" IS NULL;

ALTER TABLE "geofences" ADD COLUMN "listId" {integer} REFERENCES "geofenceLists" ("id") ON DELETE SET NULL;
CREATE INDEX "geofences_listId" ON "geofences" ("listId", "id") WHERE "listId" IS NOT NULL;
CREATE INDEX "geofences_configId" ON "geofences" ("configId") WHERE "configId" IS NOT NULL;
CREATE INDEX "deviceConfigs_safeZoneId" ON "deviceConfigs" ("safeZoneId") WHERE "safeZoneId" IS NOT NULL;
`,
};
