import type { Confirmation, ReportAnswer, ReportingIdentity, ReportReceiver } from '../../../calls.ts';
import { RecentMap } from '../../../platform/caches.ts';
import { fingerprint } from '../../../platform/secrets.ts';
import type { Vault } from '../../../platform/vault.ts';
import { pendingConfig, pendingMessages } from '../../commands/pending.ts';
import { rtkReceiver } from '../../commands/rtk-operations.ts';
import { deviceKeys } from '../../devices/device-keys.ts';
import type { Store } from '../../schema/tables.ts';
import type { Pipeline, Receipt } from '../pipeline.ts';

/** At most this many keys and identifiers are cached with their devices: about 25 MB. */
const MAX_IDENTITIES = 100_000;

/** Receives reports: stores each, settles what the device confirms, and answers what waits for it. */
export function reportReceiver(store: Store, pipeline: Pipeline, vault: Vault): Omit<ReportReceiver, 'friendsOf'> {
  const keys = deviceKeys(store, vault);
  const messages = pendingMessages(store, vault);
  const settings = pendingConfig(store);
  const rtk = rtkReceiver(store);
  // The device of a key or identifier. Whether it still is, the transaction that stores the report decides.
  const identities = new RecentMap<string, ReportingIdentity>(MAX_IDENTITIES);

  async function deviceOfKey(key: string): Promise<ReportingIdentity | undefined> {
    const keyHash = fingerprint(key);
    const known = identities.get(cacheKey({ keyHash }));
    if (known) return known;
    const deviceId = await keys.deviceOfKeyHash(keyHash);
    if (deviceId === undefined) return undefined;
    const identity = { deviceId, keyHash };
    identities.set(cacheKey(identity), identity);
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

  const trackerOf = store.prepare<{ readonly commandProtocols: string | null }>(
    'devices.commandProtocols',
    'SELECT "commandProtocols" FROM "devices" WHERE "id" = ?',
  );

  /** Whether the answer may contain pending data for the device. For a tracker, its IMEI is not sufficient. */
  const maySeePending = async ({ deviceId, keyHash }: ReportingIdentity) =>
    keyHash !== undefined || (await trackerOf.get(deviceId))?.commandProtocols == null;

  return {
    deviceOfKey,

    async isCurrent(identity) {
      const { deviceId, keyHash, identifier } = identity;
      identities.delete(cacheKey(identity));
      if (keyHash !== undefined) return (await keys.deviceOfKeyHash(keyHash)) === deviceId;
      if (identifier === undefined) return true;
      const found = await keys.deviceOfIdentifier(identifier);
      return found?.deviceId === deviceId && found.identifier === identifier;
    },

    async deviceOfIdentifier(identifier) {
      const known = identities.get(cacheKey({ identifier }));
      if (known) return known;
      const identity = await keys.deviceOfIdentifier(identifier);
      // One that an admin must approve is not checked again when the report is stored.
      if (identity?.identifier !== undefined) identities.set(cacheKey(identity), identity);
      return identity;
    },

    secretOf: keys.secretOf,

    async receive(identity, report, confirmation, now) {
      const { deviceId } = identity;
      const receipt = await pipeline.store(deviceId, report, now, identity);
      if (receipt === undefined) {
        identities.delete(cacheKey(identity));
        return undefined;
      }
      const { hasPending, ...received } = receipt;
      if (report.rtk !== undefined) await rtk.onReport(deviceId, report.rtk, now);
      if (report.messages.length > 0) await rtk.answered(deviceId, report.messages);
      const isChanged = confirmsAnything(confirmation);
      if ((isChanged || hasPending) && !(await maySeePending(identity))) return { ...received, ...NOTHING };
      if (isChanged) await confirm(deviceId, confirmation, now);
      // Mostly nothing waits, and nothing has to be read.
      return { ...received, ...(hasPending || isChanged ? await pendingFor(deviceId, now) : NOTHING) };
    },

    messageSent: (deviceId, messageId, now) => messages.taken(deviceId, [messageId], now),
  };
}

const NOTHING = { messages: [] };

/** An identifier that is the hash of a key must not be taken for the key. */
const cacheKey = ({ keyHash, identifier }: Omit<ReportingIdentity, 'deviceId'>) =>
  keyHash ?? `identifier ${identifier}`;

/** After a confirmation something else may wait for the device. */
const confirmsAnything = ({ messages, config, geofence, currentFW }: Confirmation) =>
  messages.length > 0 || config !== undefined || geofence !== undefined || currentFW !== undefined;
