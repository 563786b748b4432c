import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Triggers of rules; pause, severity and escalation of triggers; what became of a notification: read, acknowledged,
 * escalated. Notifications that were recorded before count as read. `escalations` holds those that wait for somebody to
 * acknowledge them.
 */
export const watching: Migration = {
  name: '0043-watching',
  suitsOlderNodes: true,
  up: `
ALTER TABLE "notificationTriggers" ADD COLUMN "ruleId" {integer};
ALTER TABLE "notificationTriggers" ADD COLUMN "ruleVersion" {integer};
ALTER TABLE "notificationTriggers" ADD COLUMN "meta" {json};
ALTER TABLE "notificationTriggers" ADD COLUMN "severity" {text} NOT NULL DEFAULT 'info';
ALTER TABLE "notificationTriggers" ADD COLUMN "paused" {flag} NOT NULL DEFAULT 0;
ALTER TABLE "notificationTriggers" ADD COLUMN "snoozedUntil" {time};
ALTER TABLE "notificationTriggers" ADD COLUMN "escalateAfter" {integer} NOT NULL DEFAULT 0;
ALTER TABLE "notificationTriggers" ADD COLUMN "escalation" {json};
CREATE UNIQUE INDEX "notificationTriggers_ruleId" ON "notificationTriggers" ("ruleId", "deviceId") WHERE "ruleId" IS NOT NULL;

ALTER TABLE "notifications" ADD COLUMN "severity" {text} NOT NULL DEFAULT 'info';
ALTER TABLE "notifications" ADD COLUMN "unread" {flag} NOT NULL DEFAULT 0;
ALTER TABLE "notifications" ADD COLUMN "acknowledgedAt" {time};
ALTER TABLE "notifications" ADD COLUMN "acknowledgedBy" {integer};
ALTER TABLE "notifications" ADD COLUMN "note" {text};
ALTER TABLE "notifications" ADD COLUMN "escalatedAt" {time};
CREATE INDEX "notifications_unread" ON "notifications" ("userId", "id") WHERE "unread" = 1;

CREATE TABLE "escalations" (
  "deviceId" {integer} NOT NULL,
  "notificationId" {integer} NOT NULL,
  "dueAt" {time} NOT NULL,
  PRIMARY KEY ("deviceId", "notificationId")
);
CREATE INDEX "escalations_dueAt" ON "escalations" ("dueAt");
CREATE INDEX "escalations_notificationId" ON "escalations" ("notificationId");
`,
};
