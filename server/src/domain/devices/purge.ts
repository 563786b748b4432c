import type { Kysely } from 'kysely';
import type { Call } from '../../calls.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { accessChanged, appendLiveEvents } from '../live/append-live-events.ts';
import { deletePositionsOf } from '../positions/pack.ts';
import { clearNamed, deleteReportedBy } from '../positions/pack-readings.ts';
import type { RightsEnded } from '../rights.ts';
import { deleteDevice, endDependants } from '../schema/dependants.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { recordDeviceEvent } from './device-events.ts';
import { keysChanged } from './device-keys.ts';
import { rulesDue } from './rules-changed.ts';

/** Deletes or restores a device, and notifies the live streams that see it. */
export async function setDeleted(
  store: Store,
  rightsEnded: RightsEnded,
  call: Pick<Call, 'caller' | 'address' | 'now'>,
  deviceId: number,
  deletedAt: number | null,
): Promise<void> {
  const action = deletedAt === null ? 'device.restored' : 'device.deleted';
  await store.transaction(async (tx) => {
    await tx.updateTable('devices').set({ deletedAt }).where('id', '=', deviceId).execute();
    await keysChanged(tx, deviceId);
    await recordDeviceAudit(tx, call, { action, deviceId });
    if (deletedAt !== null) await rightsEnded(tx, { deviceId }, call.now);
    else {
      await rulesDue(tx, [deviceId], call.now);
      const restored = { type: 'backendnote/restored', description: 'The device was restored.' } as const;
      await recordDeviceEvent(tx, { ...restored, deviceId }, call.now);
    }
    await appendLiveEvents(tx, [accessChanged(deviceId)], call.now);
  });
}

export const RESTORABLE_MS = 30 * 86_400_000;
const CHUNK = 500;

/**
 * Tables that may have many rows of one device, besides positions and readings; other rows are deleted together with the
 * device.
 */
const LONG = ['messages', 'deviceEvents'] as const satisfies readonly (keyof Tables)[];

/** Permanently deletes devices whose time to be restored is over, in small steps. */
export async function purgeDevices(store: Store, now: number): Promise<number> {
  const gone = await store.query
    .selectFrom('devices')
    .select('id')
    .where('deletedAt', '<', now - RESTORABLE_MS)
    .execute();
  for (const { id } of gone) {
    await purgeLong(store, id);
    await store.transaction(async (tx) => {
      await deletePositionsOf(tx, id);
      await deleteReportedBy(tx, id);
      await clearNamed(tx, id);
      await deleteDevice(tx, id);
    });
  }
  return gone.length;
}

/** Deletes what a device may have many rows of, until `goOn` returns false. */
export async function purgeLong(store: Store, deviceId: number, goOn: GoOn = async () => true): Promise<void> {
  for (const deleteSome of [deletePositionsOf, deleteReportedBy])
    for (let deleted = CHUNK; deleted > 0 && (await goOn()); ) {
      deleted = await store.transaction((tx) => deleteSome(tx, deviceId, CHUNK));
      await new Promise((resolve) => setImmediate(resolve));
    }
  for (const table of LONG) await deleteInChunks(store, table, deviceId, goOn);
}

type GoOn = () => Promise<boolean>;

async function deleteInChunks(store: Store, table: (typeof LONG)[number], deviceId: number, goOn: GoOn): Promise<void> {
  const query = store.query as unknown as Kysely<Record<string, Record<string, number | null>>>;
  const some = query.selectFrom(table).select('id').where('deviceId', '=', deviceId).limit(CHUNK);
  for (;;) {
    const rows = await some.execute();
    if (rows.length === 0 || !(await goOn())) return;
    const ids = rows.map((row) => row.id!);
    if (table === 'messages') await endDependants(query, table, ids);
    await query.deleteFrom(table).where('deviceId', '=', deviceId).where('id', 'in', ids).execute();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
