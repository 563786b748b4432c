import { accept } from '@trackway/contract/accept.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { device } from '@trackway/contract/resources/device.ts';
import { deviceConfig } from '@trackway/contract/resources/device-config.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { Kysely } from 'kysely';
import type { Call, Caller } from '../../calls.ts';
import type { Collection } from '../../platform/collection.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import { newId } from '../../platform/storage/new-id.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { invalidField } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { type Quotas, requireRoom } from '../users/quotas.ts';
import { withBothSpellings } from './bluetooth.ts';
import { recordDeviceEvent } from './device-events.ts';
import { keysChanged } from './device-keys.ts';
import { rulesDue } from './groups/rules-due.ts';
import { withOneTagPerName } from './tags.ts';

/** Creates a device, its configuration and its key in one transaction. */
export async function createDevice(
  store: Store,
  rows: Collection<Shown<typeof device>>,
  ownerId: number,
  sent: Readonly<Record<string, unknown>>,
  now: number,
  {
    requireRoom = async () => {},
    by,
  }: { requireRoom?: (tx: Kysely<Tables>) => Promise<void>; by?: Pick<Call, 'caller' | 'address'> } = {},
): Promise<AnswerOf<'createDevice'>> {
  const deviceKey = newDeviceKey();
  const { values: settings } = accept(deviceConfig, 'create', {});
  return uniqueDevice(() =>
    store.transaction(async (tx) => {
      await requireRoom(tx);
      const { deviceKey: _, ...values } = sent;
      const named = { ...identified(withOneTagPerName(values)), ownerId, firstSeen: now };
      const row = await rows.insert(named, tx, await newId(tx, store.storeKind, 'devices'));
      await tx
        .updateTable('devices')
        .set({ keyHash: fingerprint(deviceKey) })
        .where('id', '=', row.id as number)
        .execute();
      await keysChanged(tx, row.id as number);
      await collectionOf(store, 'deviceConfigs', deviceConfig).insert({ ...settings, deviceId: row.id }, tx);
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
      const made = { ...rows.present(row), deviceKey };
      await rulesDue(tx, [made.id], now);
      const created = { type: 'activation/created', description: 'The device was created.' } as const;
      await recordDeviceEvent(tx, { ...created, deviceId: made.id }, now);
      if (by)
        await recordAudit(
          tx,
          {
            action: 'device.created',
            ...byCaller(by),
            userId: ownerId,
            deviceId: made.id,
            detail: { name: made.name },
          },
          now,
        );
      return made;
    }),
  );
}

/** Refuses one more device than a user may have, as `requireRoom` does. */
export const requireDeviceRoom = (
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  quotas: Quotas,
  caller: Caller,
  userId: number = caller.userId,
): Promise<void> =>
  requireRoom(tx, { storeKind, quotas, caller, userId }, 'devices', (on) =>
    on
      .selectFrom('devices')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('ownerId', '=', userId)
      .where('deletedAt', 'is', null),
  );

export const newDeviceKey = () => randomSecret(48);

/** An identifier that is empty is none: only what is set must be unique. */
export function identified(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named = { ...withBothSpellings(values) };
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
