import { accept } from '@trackway/contract/accept.ts';
import { deviceConfig } from '@trackway/contract/device-config.ts';
import type { Collection } from '../../platform/collection.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import { storeValues } from '../../platform/storage/shape.ts';
import { invalidField } from '../../refusals.ts';
import type { Shown } from '../family.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { withBothSpellings } from './bluetooth.ts';

/** Creates a device, its configuration and its key in one transaction. */
export async function createDevice(
  store: Store,
  rows: Collection,
  ownerId: number,
  sent: Record<string, unknown>,
  now: number,
): Promise<Shown> {
  const deviceKey = newDeviceKey();
  const { values: settings } = accept(deviceConfig, 'create', {});
  return uniqueDevice(() =>
    store.transaction(async (tx) => {
      const { deviceKey: _, ...values } = sent;
      const row = await rows.insert({ ...identified(values), ownerId, firstSeen: now }, tx);
      await tx
        .updateTable('devices')
        .set({ keyHash: fingerprint(deviceKey) })
        .where('id', '=', row.id as number)
        .execute();
      await tx
        .insertInto('deviceConfigs')
        .values({ ...storeValues(shapeOf(deviceConfig), settings), deviceId: row.id } as never)
        .execute();
      await tx
        .insertInto('deviceStates')
        .values({
          deviceId: row.id as number,
          state: '{}',
          form: 0,
          newest: null,
          checkpointAt: null,
          lateFrom: null,
          dueAt: null,
          heardAt: null,
        })
        .execute();
      return { ...rows.present(row), deviceKey };
    }),
  );
}

export const newDeviceKey = () => randomSecret(48);

/** Stores an empty identifier as null, because only set identifiers must be unique. */
export function identified(values: Record<string, unknown>): Record<string, unknown> {
  const named = withBothSpellings(values);
  for (const field of ['imei', 'serial']) if (named[field] === '') named[field] = null;
  return named;
}

export async function uniqueDevice<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NotUnique)) throw error;
    const field = error.columns.includes('serial') ? 'serial' : 'imei';
    throw invalidField('device', field, 'uniqueness', 'is already in use on this server');
  }
}
