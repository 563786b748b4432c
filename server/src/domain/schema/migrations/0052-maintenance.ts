import type { Migration } from '../../../platform/storage/migrations.ts';

/** What devices need again and again, what of it was done, and which triggers have told of it. */
export const maintenance: Migration = {
  name: '0052-maintenance',
  suitsOlderNodes: true,
  up: `
CREATE TABLE "maintenanceTasks" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "name" {text} NOT NULL,
  "note" {text},
  "everyKm" {number},
  "everyHours" {number},
  "hoursOf" {text} NOT NULL,
  "everyMonths" {integer},
  "dueOn" {time},
  "remindKm" {number},
  "remindHours" {number},
  "remindDays" {integer},
  "since" {time} NOT NULL,
  "odometer" {number},
  "round" {integer} NOT NULL DEFAULT 0,
  "lookAt" {time} NOT NULL DEFAULT 0,
  "created" {time} NOT NULL
);
CREATE INDEX "maintenanceTasks_deviceId" ON "maintenanceTasks" ("deviceId", "id");
CREATE INDEX "maintenanceTasks_lookAt" ON "maintenanceTasks" ("lookAt");
CREATE TABLE "maintenanceRecords" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "taskId" {integer} REFERENCES "maintenanceTasks" ("id") ON DELETE SET NULL,
  "userId" {integer} REFERENCES "users" ("id") ON DELETE SET NULL,
  "name" {text} NOT NULL,
  "doneAt" {time} NOT NULL,
  "odometer" {number},
  "distanceKm" {number} NOT NULL,
  "hours" {number},
  "note" {text},
  "created" {time} NOT NULL
);
CREATE INDEX "maintenanceRecords_deviceId" ON "maintenanceRecords" ("deviceId", "id");
CREATE INDEX "maintenanceRecords_taskId" ON "maintenanceRecords" ("taskId");
CREATE INDEX "maintenanceRecords_userId" ON "maintenanceRecords" ("userId");
CREATE TABLE "maintenanceTold" (
  "taskId" {integer} NOT NULL REFERENCES "maintenanceTasks" ("id") ON DELETE CASCADE,
  "triggerId" {integer} NOT NULL REFERENCES "notificationTriggers" ("id") ON DELETE CASCADE,
  "round" {integer} NOT NULL,
  "status" {text} NOT NULL,
  PRIMARY KEY ("taskId", "triggerId", "round", "status")
);
CREATE INDEX "maintenanceTold_triggerId" ON "maintenanceTold" ("triggerId");
`,
};
