import { accept } from '@trackway/contract/accept.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { device } from '@trackway/contract/resources/device.ts';
import { deviceConfig } from '@trackway/contract/resources/device-config.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { Call, Caller } from '../../calls.ts';
import type { Collection } from '../../platform/collection.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { NotUnique, newId } from '../../platform/storage/database.ts';
import { invalidField } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type Quotas, type Room, requireRoom } from '../users/quotas.ts';
import { withBothSpellings } from './bluetooth.ts';
import { recordDeviceEvent } from './device-events.ts';
import { IDENTITY, keysChanged } from './device-keys.ts';
import { rulesDue } from './rules-changed.ts';
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
    requireClaim,
    by,
  }: {
    requireRoom?: (tx: Tx) => Promise<void>;
    /** Set if its identity is only a claim: refuses one that the owner may not make. */
    requireClaim?: ((tx: Tx, named: Readonly<Record<string, unknown>>) => Promise<void>) | undefined;
    by?: Pick<Call, 'caller' | 'address'>;
  } = {},
): Promise<AnswerOf<'createDevice'>> {
  const deviceKey = newDeviceKey();
  const { values: settings } = accept(deviceConfig, 'create', {});
  return uniqueDevice(() =>
    store.transaction(async (tx) => {
      await requireRoom(tx);
      const { deviceKey: _, ...values } = sent;
      const named = { ...identified(withOneTagPerName(values)), ownerId, firstSeen: now, identityPending: false };
      if (requireClaim && hasIdentity(named)) {
        await requireClaim(tx, named);
        named.identityPending = true;
      }
      const row = await rows.insert(named, tx, await newId(tx, 'devices'));
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
          newestAt: null,
          lateFrom: null,
          dueAt: null,
          reportedAt: null,
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
  tx: Tx,
  quotas: Quotas,
  caller: Caller,
  userId: number = caller.userId,
): Promise<void> =>
  requireRoom(tx, { quotas, caller, userId }, 'devices', (on, userIds) =>
    on.selectFrom('devices').where('ownerId', 'in', userIds).where('deletedAt', 'is', null),
  );

/** Refuses one more pending identity than a user may have, and one that another device of the owner has already. */
export async function requireClaimRoom(
  tx: Tx,
  room: Room,
  named: Readonly<Record<string, unknown>>,
  deviceId = 0,
): Promise<void> {
  const pending = tx
    .selectFrom('devices')
    .where('identityPending', '=', 1)
    .where('deletedAt', 'is', null)
    .where('id', '<>', deviceId);
  await requireRoom(tx, room, 'identityClaims', (_, userIds) => pending.where('ownerId', 'in', userIds));
  for (const field of IDENTITY) {
    const value = named[field];
    if (typeof value !== 'string') continue;
    const effective = tx
      .selectFrom('deviceKeys as k')
      .innerJoin('devices as d', 'd.id', 'k.deviceId')
      .select('d.id')
      .where(`k.${field}`, '=', value)
      .where('d.ownerId', '=', room.userId)
      .where('d.id', '<>', deviceId);
    if (
      (await effective.executeTakeFirst()) ??
      (await pending.select('id').where('ownerId', '=', room.userId).where(field, '=', value).executeTakeFirst())
    )
      throw inUse(field);
  }
}

/** Whether values contain an identity that lets a device report without a key. */
export const hasIdentity = (values: Readonly<Record<string, unknown>>) =>
  IDENTITY.some((field) => values[field] !== undefined && values[field] !== null);

export const newDeviceKey = () => randomSecret(48);

/** An identifier that is empty is none: only what is set must be unique. */
export function identified(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named = { ...withBothSpellings(values) };
  for (const field of IDENTITY) if (named[field] === '') named[field] = null;
  return named;
}

export async function uniqueDevice<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NotUnique)) throw error;
    throw inUse(error.columns.includes('serial') ? 'serial' : 'imei');
  }
}

const inUse = (field: string) => invalidField('device', field, 'uniqueness', 'is already in use on this server');
