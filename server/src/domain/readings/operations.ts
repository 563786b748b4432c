import {
  type gatewayReadingOperations as contract,
  gatewayReading,
  reading,
} from '@trackway/contract/gateway-reading.ts';
import type { Call, Caller, Handlers } from '../../calls.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import type { DeviceAccess } from '../devices/access.ts';
import {
  children,
  countOf,
  type Family,
  listOf,
  readOf,
  refuseMoved,
  removeAllOf,
  removeOf,
  rowOf,
  type Shown,
} from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';

export function readingOperations(store: Store, access: DeviceAccess): Handlers<keyof typeof contract> {
  const indexes = { timeRange: 'timestamp', indexed: ['type', 'deviceId'] };
  const rows = collectionOf(store, 'gatewayReadings', gatewayReading, indexes);
  const sensedRows = collectionOf(store, 'gatewayReadings', reading, { timeRange: 'timestamp' });
  const heard: Family = { name: 'gatewayReading', rows, scope: (call) => children('gatewayId', call.deviceId) };
  const sensed: Family = { name: 'reading', rows: sensedRows, scope: (call) => children('deviceId', call.deviceId) };

  /** The keys in a body must name things that the caller may see. */
  async function requireKeys(name: string, caller: Caller, values: Record<string, unknown>): Promise<void> {
    await access.requireVisible(caller, values.deviceId, name, 'deviceId');
    await access.requireVisible(caller, values.gatewayId, name, 'gatewayId');
    if (values.datapointId === undefined || values.datapointId === null) return;
    const at = values.datapointId as number;
    const point = await store.query.selectFrom('points').select('deviceId').where('id', '=', at).executeTakeFirst();
    if (point === undefined || (await access.rightOn(caller, point.deviceId)) === undefined) {
      throw invalidField(name, 'datapointId', 'unknown', `names no point that you may see: ${at}`);
    }
  }

  async function create(family: Family, parent: 'gatewayId' | 'deviceId', call: Call<object>): Promise<Shown> {
    const { [parent]: _, ...values } = call.body as Record<string, unknown>;
    await requireKeys(family.name, call.caller, values);
    const timestamp = values.timestamp ?? call.now;
    return rows.present(await rows.insert({ ...values, timestamp, created: call.now, [parent]: call.deviceId }));
  }

  async function update(family: Family, parent: 'gatewayId' | 'deviceId', call: Call<object>): Promise<Shown> {
    const before = await rowOf(family, call);
    refuseMoved(call.sent, { id: call.key, [parent]: call.deviceId });
    const { [parent]: _, ...values } = call.body as Record<string, unknown>;
    const changed = Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== before[name]));
    await requireKeys(family.name, call.caller, changed);
    const row = await rows.update(call.key, values);
    if (row === undefined) throw childNotFound(family.name, call.key);
    return rows.present(row);
  }

  return {
    listGatewayReadings: (call) => listOf(heard, call) as Promise<Shown>,
    countGatewayReadings: (call) => countOf(heard, call),
    createGatewayReading: (call) => create(heard, 'gatewayId', call),
    getGatewayReading: (call) => readOf(heard, call),
    async updateGatewayReading(call) {
      const { sensorDeviceId: _, ...shown } = await update(heard, 'gatewayId', call);
      return shown;
    },
    deleteGatewayReading: (call) => removeOf(heard, call),
    deleteGatewayReadings: (call) => removeAllOf(heard, call),

    listReadings: (call) => listOf(sensed, call) as Promise<Shown>,
    countReadings: (call) => countOf(sensed, call),
    createReading: (call) => create(sensed, 'deviceId', call),
    getReading: (call) => readOf(sensed, call),
    updateReading: (call) => update(sensed, 'deviceId', call),
    deleteReading: (call) => removeOf(sensed, call),
    deleteReadings: (call) => removeAllOf(sensed, call),
  };
}
