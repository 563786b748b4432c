import type { Received, Reception } from '../../calls.ts';
import { waitingConfig } from '../device-config/waiting.ts';
import { deviceKeys } from '../devices/keys.ts';
import { waitingMessages } from '../messages/waiting.ts';
import type { Store } from '../schema/tables.ts';
import type { Ingest, Receipt } from './ingest.ts';

/** A device reports: its report is taken in, what it confirms is settled, and it hears what waits for it. */
export function reception(store: Store, ingest: Ingest): Reception {
  const keys = deviceKeys(store);
  const messages = waitingMessages(store);
  const settings = waitingConfig(store);
  const anything = store.prepare(
    'devices.anythingWaits',
    `SELECT 1 FROM "messages" WHERE "deviceId" = ? AND "mobileTerminated" = 1 AND "sent" IS NULL
     UNION ALL SELECT 1 FROM "deviceConfigs" c LEFT JOIN "geofences" g ON g."id" = c."safeZoneId"
       WHERE c."deviceId" = ? AND (c."modified" IS NOT NULL OR g."modified" = 1) LIMIT 1`,
  );

  /** Mostly nothing waits, and one look tells that. */
  async function waitingFor(deviceId: number): Promise<Omit<Received, keyof Receipt>> {
    if ((await anything.get(deviceId, deviceId)) === undefined) return { messages: [] };
    const config = await settings.config(deviceId);
    const geofence = await settings.zone(deviceId);
    return { ...(config && { config }), ...(geofence && { geofence }), messages: await messages.next(deviceId) };
  }

  return {
    ...keys,

    async receive(deviceId, report, confirmation, now) {
      const receipt = await ingest.take(deviceId, report, now);
      await messages.taken(deviceId, confirmation.messages, now);
      if (confirmation.config !== undefined) await settings.taken(deviceId, confirmation.config, now);
      if (confirmation.geofence !== undefined) await settings.zoneTaken(deviceId, confirmation.geofence);
      if (confirmation.currentFW !== undefined) await settings.firmware(deviceId, confirmation.currentFW);
      return { ...receipt, ...(await waitingFor(deviceId)) };
    },

    messageSent: (deviceId, messageId, now) => messages.taken(deviceId, [messageId], now),
  };
}
