import type { geofenceOperations as contract } from '@trackway/contract/resources/geofence.ts';
import type { Kysely } from 'kysely';
import type { Handlers } from '../../calls.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { children, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import type { Store, Tables } from '../schema/tables.ts';
import type { Quotas } from '../users/quotas.ts';
import { type FenceShaped, fencesOf } from './fences.ts';
import { safeZoneOperations } from './safe-zone.ts';

export function geofenceOperations(
  store: Store,
  access: DeviceAccess,
  shaped?: FenceShaped,
  quotas?: Quotas,
): Handlers<keyof typeof contract> {
  const fences = fencesOf(store, access, shaped, quotas);
  const { rows } = fences;
  const family = familyOf('geofence', rows, (call) => children('userId', call.userId));

  return {
    ...safeZoneOperations(store, fences, shaped, quotas),
    listGeofences: (call) => listOf(family, call),
    countGeofences: (call) => countOf(family, call),
    getGeofence: (call) => readOf(family, call),
    async deleteGeofence(call) {
      await fences.remove(call, await rowOf(family, call));
      return undefined;
    },
    async deleteGeofences(call) {
      await rows.removeAll(family.scope(call), (tx, ids) => fences.removed(tx as Kysely<Tables>, call, ids, { ids }));
      return undefined;
    },
    createGeofence: async (call) => rows.present(await fences.create(call, call.body)),
    async updateGeofence(call) {
      const before = await rowOf(family, call);
      refuseMoved(call.sent, { id: call.key, userId: call.userId });
      return rows.present(await fences.update(call, before, call.body));
    },
  };
}
