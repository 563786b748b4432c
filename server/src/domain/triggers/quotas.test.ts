import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser } from '../../testing/people.ts';
import { testVault } from '../../testing/vault.ts';
import { deviceAccess } from '../devices/access.ts';
import { deviceOperations } from '../devices/operations.ts';
import { shareOperations } from '../devices/shares.ts';
import { geofenceOperations } from '../geofences/operations.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { personalTokenOperations } from '../users/personal-tokens.ts';
import { UNLIMITED } from '../users/quotas.ts';
import { triggerOperations } from './operations.ts';

/** Quotas also apply to simultaneous calls. */

const REFUSED = { statusCode: 403, code: 'QUOTA_EXCEEDED' };
const AT_ONCE = 8;

onEitherEngine<Tables>('quotas', { migrations: MIGRATIONS }, (open) => {
  interface Made {
    readonly store: Store;
    readonly owner: Caller;
    readonly deviceIds: readonly number[];
  }

  const creates: Record<string, (made: Made, index: number) => Promise<unknown>> = {
    devices: ({ store, owner }) =>
      deviceOperations(store, {}, testVault, undefined, { ...UNLIMITED, devices: 5 }).createDevice(
        callOf(owner, { body: { name: 'Van' } as never }),
      ),
    triggers: ({ store, owner, deviceIds }, index) => {
      const body = { type: 'newLoc', parameters: {}, delivery: {}, muteFor: 0 };
      const quotas = { ...UNLIMITED, triggers: 3 };
      const operations = triggerOperations(store, deviceAccess(store), () => undefined, undefined, quotas);
      return operations.createNotificationTrigger(callOf(owner, { deviceId: deviceIds[index % 2]!, body }));
    },
    deviceTriggers: ({ store, owner, deviceIds }) => {
      const body = { type: 'newLoc', parameters: {}, delivery: {}, muteFor: 0 };
      const quotas = { ...UNLIMITED, deviceTriggers: 3 };
      const operations = triggerOperations(store, deviceAccess(store), () => undefined, undefined, quotas);
      return operations.createNotificationTrigger(callOf(owner, { deviceId: deviceIds[0]!, body }));
    },
    geofences: ({ store, owner }) => {
      const body = { name: 'Depot', center: { lat: 0, lng: 0 }, radius: 150 };
      const quotas = { ...UNLIMITED, geofences: 3 };
      return geofenceOperations(store, deviceAccess(store), undefined, quotas).createGeofence(callOf(owner, { body }));
    },
    tokens: ({ store, owner }) =>
      personalTokenOperations(store, {
        ownPassword: async () => true,
        quotas: { ...UNLIMITED, tokens: 3 },
      }).createPersonalAccessToken(callOf(owner, { body: { ttl: 60, password: 'known' } as never })),
    shares: ({ store, owner, deviceIds }, index) =>
      shareOperations(store, { began: [], ended: [] }, undefined, { ...UNLIMITED, shares: 3 }).createShare(
        callOf(owner, { deviceId: deviceIds[0]!, body: { email: `other${index}@example.com`, rights: 'view' } }),
      ),
  };

  async function made(isAdmin: boolean): Promise<Made> {
    const store = await open();
    const owner = await makeUser(store, 'owner@example.com', isAdmin);
    const deviceIds = [await makeDevice(store, owner.userId), await makeDevice(store, owner.userId)];
    return { store, owner, deviceIds };
  }

  test('simultaneous calls create at most as many as the quota', async () => {
    const all = await made(false);
    for (const [what, create] of Object.entries(creates)) {
      if (what === 'deviceTriggers') await all.store.query.deleteFrom('notificationTriggers').execute();
      const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, index) => create(all, index)));
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason);
      assert.equal(outcomes.length - refused.length, 3, what);
      for (const reason of refused) assert.partialDeepStrictEqual({ ...reason }, REFUSED, what);
    }
  });

  test('admins may have any number', async () => {
    const all = await made(true);
    for (const create of Object.values(creates))
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => create(all, index)));
  });
});
