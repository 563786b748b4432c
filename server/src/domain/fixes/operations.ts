import { type pointOperations as contract, point } from '@trackway/contract/point.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Include } from '../../platform/filter/include.ts';
import { parseFilterObject } from '../../platform/filter/parse.ts';
import { childNotFound } from '../../refusals.ts';
import {
  children,
  countOf,
  type Family,
  listOf,
  readOf,
  refuseMoved,
  removeAllOf,
  removeOf,
  requestOf,
  rowOf,
  type Shown,
} from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';

/** So many positions of each device, unless a scope says otherwise, where a list of devices includes them. */
const INCLUDED_POINTS = 10;

export interface Points {
  readonly operations: Handlers<keyof typeof contract>;
  /** Positions of a device as JSON text, for lists of devices that include them. */
  included(deviceId: number, wanted: Include, call: Call): Promise<string>;
}

export function points(store: Store): Points {
  const fields = { timeRange: 'timestamp' };
  const rows = collectionOf(store, 'points', point, fields);
  const family: Family = { name: 'point', rows, scope: (call) => children('deviceId', call.deviceId) };

  return {
    async included(deviceId, { scope, loose }, call) {
      const wanted = scope ?? { limit: INCLUDED_POINTS, order: 'timestamp DESC' };
      const filter = parseFilterObject(wanted, { shape: rows.shape, ...fields }, { loose });
      return rows.listBy(filter, children('deviceId', deviceId), requestOf(call));
    },

    operations: {
      listPoints: (call) => listOf(family, call) as Promise<Shown>,
      countPoints: (call) => countOf(family, call),
      getPoint: (call) => readOf(family, call),
      deletePoint: (call) => removeOf(family, call),
      deletePoints: (call) => removeAllOf(family, call),

      async createPoint(call) {
        const values = call.body as Record<string, unknown>;
        const locationType = values.locationType ?? (values.location ? 'gps' : 'invalid');
        const timestamp = values.timestamp ?? call.now;
        const row = await rows.insert({
          ...values,
          timestamp,
          locationType,
          created: call.now,
          deviceId: call.deviceId,
        });
        return rows.present(row) as Shown;
      },

      async updatePoint(call) {
        await rowOf(family, call);
        refuseMoved(call.sent, { id: call.key, deviceId: call.deviceId });
        const row = await rows.update(call.key, call.body as Record<string, unknown>);
        if (row === undefined) throw childNotFound('point', call.key);
        return rows.present(row) as Shown;
      },
    },
  };
}
