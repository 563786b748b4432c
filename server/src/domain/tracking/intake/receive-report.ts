import type { Confirmation, ReportAnswer, ReportingIdentity, ReportReceiver } from '../../../calls.ts';
import { RecentMap } from '../../../platform/recent-map.ts';
import { fingerprint } from '../../../platform/secrets.ts';
import type { Vault } from '../../../platform/vault.ts';
import { rtkHearing } from '../../commands/hear-rtk.ts';
import { pendingConfig } from '../../device-config/pending-config.ts';
import { deviceKeys } from '../../devices/keys.ts';
import { pendingMessages } from '../../messages/pending-messages.ts';
import type { Store } from '../../schema/tables.ts';
import type { Intake, Receipt } from './intake.ts';

/** At most this many keys are cached with their devices. */
const MAX_KEYS = 20_000;

/** Receives reports: stores each, settles what the device confirms, and answers what waits for it. */
export function reportReceiver(store: Store, ingest: Intake, vault: Vault): ReportReceiver {
  const keys = deviceKeys(store, vault);
  const messages = pendingMessages(store, vault);
  const settings = pendingConfig(store);
  const rtk = rtkHearing(store);
  // The device that a key was of. Whether it still is, the transaction that stores the report decides.
  const identities = new RecentMap<string, ReportingIdentity>(MAX_KEYS);

  async function deviceOfKey(key: string): Promise<ReportingIdentity | undefined> {
    const keyHash = fingerprint(key);
    const known = identities.get(keyHash);
    if (known) return known;
    const deviceId = await keys.deviceOfKeyHash(keyHash);
    if (deviceId === undefined) return undefined;
    const identity = { deviceId, keyHash };
    identities.set(keyHash, identity);
    return identity;
  }

  async function pendingFor(deviceId: number, now: number): Promise<Omit<ReportAnswer, keyof Receipt>> {
    const config = await settings.config(deviceId);
    const geofence = await settings.zone(deviceId);
    return { ...(config && { config }), ...(geofence && { geofence }), messages: await messages.next(deviceId, now) };
  }

  async function confirm(deviceId: number, confirmation: Confirmation, now: number): Promise<void> {
    const { messages: confirmed, config, geofence, currentFW } = confirmation;
    await messages.taken(deviceId, confirmed, now);
    if (config !== undefined) await settings.taken(deviceId, config, now);
    if (geofence !== undefined) await settings.zoneTaken(deviceId, geofence);
    if (currentFW !== undefined) await settings.firmware(deviceId, currentFW, now);
  }

  return {
    deviceOfKey,

    async keyIsCurrent({ deviceId, keyHash }) {
      if (keyHash === undefined || (await keys.deviceOfKeyHash(keyHash)) === deviceId) return true;
      identities.delete(keyHash);
      return false;
    },

    async deviceOfIdentifier(identifier) {
      const deviceId = await keys.deviceOfIdentifier(identifier);
      return deviceId === undefined ? undefined : { deviceId };
    },

    secretOf: keys.secretOf,

    async receive({ deviceId, keyHash }, report, confirmation, now) {
      const receipt = await ingest.store(deviceId, report, now, keyHash);
      if (receipt === undefined) {
        if (keyHash !== undefined) identities.delete(keyHash);
        return undefined;
      }
      const { hasPending, ...received } = receipt;
      if (report.rtk !== undefined) await rtk.heard(deviceId, report.rtk, now);
      if (report.messages.length > 0) await rtk.answered(deviceId, report.messages);
      const isChanged = confirmsAnything(confirmation);
      if (isChanged) await confirm(deviceId, confirmation, now);
      // Mostly nothing waits, and nothing has to be read.
      return { ...received, ...(hasPending || isChanged ? await pendingFor(deviceId, now) : NOTHING) };
    },

    messageSent: (deviceId, messageId, now) => messages.taken(deviceId, [messageId], now),
  };
}

const NOTHING = { messages: [] };

/** After a confirmation something else may wait for the device. */
const confirmsAnything = ({ messages, config, geofence, currentFW }: Confirmation) =>
  messages.length > 0 || config !== undefined || geofence !== undefined || currentFW !== undefined;
