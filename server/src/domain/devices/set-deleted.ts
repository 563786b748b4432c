import type { Call } from '../../calls.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { accessChanged, appendLiveEvents } from '../live/append-live-events.ts';
import type { RightsEnded } from '../rights.ts';
import type { Store } from '../schema/tables.ts';
import { recordDeviceEvent } from './device-events.ts';
import { keysChanged } from './device-keys.ts';
import { rulesDue } from './groups/rules-due.ts';

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
