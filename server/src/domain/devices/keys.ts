import type { Vault } from '../../platform/vault.ts';
import type { Store } from '../schema/tables.ts';

export const deviceSecretContext = (deviceId: number) => `devices.secret:${deviceId}`;

/** Identifies the device that reports: by its key, or by its identifier alone if the device allows that. */
export function deviceKeys(store: Store, vault: Vault) {
  const byKey = store.prepare<{ id: number }>(
    'devices.byKey',
    'SELECT "id" FROM "devices" WHERE "keyHash" = ? AND "deletedAt" IS NULL',
  );
  const byIdentifier = store.prepare<{ id: number }>(
    'devices.byIdentifier',
    `SELECT "id" FROM "devices" WHERE "serial" = ? AND "deletedAt" IS NULL AND "allowKeyless" = 1
     UNION SELECT "id" FROM "devices" WHERE "imei" = ? AND "deletedAt" IS NULL AND "allowKeyless" = 1 LIMIT 1`,
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
    deviceOfKeyHash: async (keyHash: string) => (await byKey.get(keyHash))?.id,
    deviceOfIdentifier: async (identifier: string) => (await byIdentifier.get(identifier, identifier))?.id,
  };
}
