import type { Vault } from '../../platform/vault.ts';
import type { Store } from '../schema/tables.ts';
import { deviceIdsByKey } from './device-keys.ts';

export const deviceSecretContext = (deviceId: number) => `devices.secret:${deviceId}`;

/** Identifies the device that reports: by its key, or by its identifier alone if the device allows that. */
export function deviceKeys(store: Store, vault: Vault) {
  const ids = deviceIdsByKey(store);
  const keyless = store.prepare<{ id: number }>(
    'devices.keyless',
    'SELECT "id" FROM "devices" WHERE "id" = ? AND "deletedAt" IS NULL AND "allowKeyless" = 1',
  );
  const secret = store.prepare<{ secret: string | null }>(
    'devices.secret',
    'SELECT "secret" FROM "devices" WHERE "id" = ? AND "deletedAt" IS NULL',
  );
  return {
    async secretOf(deviceId: number) {
      const stored = (await secret.get(deviceId))?.secret;
      return stored ? vault.open(stored, deviceSecretContext(deviceId)) : undefined;
    },
    deviceOfKeyHash: ids.keyHash,
    async deviceOfIdentifier(identifier: string) {
      for (const find of [ids.serial, ids.imei]) {
        const id = await find(identifier);
        if (id !== undefined && (await keyless.get(id)) !== undefined) return id;
      }
      return undefined;
    },
  };
}
