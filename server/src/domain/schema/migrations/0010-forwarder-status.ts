import type { Migration } from '../../../platform/storage/migrations.ts';

/** Says the status of a forwarder in plain sentences. */
export const forwarderStatus: Migration = {
  name: '0010-forwarder-status',
  up: `
DROP VIEW "forwarderStates";
CREATE VIEW "forwarderStates" AS
SELECT f."id", f."deviceId", f."userId", f."kind", f."target", f."types", f."raw", f."corrections", f."active",
  CASE
    WHEN f."active" = 0 THEN 'Switched off.'
    WHEN d."state" = 'off' THEN 'Stopped: the destination answered that it no longer exists. Switch the forwarder on to try again.'
    WHEN d."state" = 'down' THEN 'Down, retrying: ' || COALESCE(d."lastError", 'the destination cannot be reached.')
    WHEN d."lastErrorAt" > COALESCE(d."lastSuccess", 0) THEN 'Failing: ' || COALESCE(d."lastError", 'the reason is unknown.')
    WHEN d."lastSuccess" IS NULL THEN 'Ready. Nothing has been sent yet.'
    ELSE 'Working.'
  END AS "status",
  (SELECT COUNT(*) FROM "outbox" o WHERE o."destinationId" = f."destinationId" AND o."state" = 'queued'
    AND o."forwarderId" = f."id") AS "waiting",
  (SELECT ({now} - o."created") / 1000 FROM "outbox" o WHERE o."destinationId" = f."destinationId"
    AND o."state" = 'queued' ORDER BY o."id" LIMIT 1) AS "lag",
  d."lastSuccess", d."lastError", f."created"
FROM "forwarders" f LEFT JOIN "destinations" d ON d."id" = f."destinationId";
`,
};
