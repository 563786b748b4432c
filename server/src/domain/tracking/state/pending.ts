/** An expression of SQL: whether messages or settings wait for a device. */
export const anythingPending = (deviceId: string) => `(
  EXISTS (SELECT 1 FROM "messages" m WHERE m."deviceId" = ${deviceId} AND m."mobileTerminated" = 1 AND m."sent" IS NULL
    AND m."state" = 'queued')
  OR EXISTS (SELECT 1 FROM "deviceConfigs" c LEFT JOIN "geofences" g ON g."id" = c."safeZoneId"
    WHERE c."deviceId" = ${deviceId} AND (c."modified" IS NOT NULL OR g."modified" = 1)))`;
