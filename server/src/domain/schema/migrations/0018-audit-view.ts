import type { Migration } from '../../../platform/storage/migrations.ts';

/** The audit trail for those who are not admins: from where somebody else acts is not theirs to know. */
export const auditView: Migration = {
  name: '0018-audit-view',
  up: `
CREATE VIEW "auditTrail" AS
SELECT "id", "at", "action", "actorId", "actor",
  CASE WHEN "actorId" IS NULL OR "actorId" = "userId" THEN "tokenId" END AS "tokenId",
  CASE WHEN "actorId" IS NULL OR "actorId" = "userId" THEN "address" END AS "address",
  "userId", "deviceId", "detail", "count"
FROM "auditEntries";
`,
};
