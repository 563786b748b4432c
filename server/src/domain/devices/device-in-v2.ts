import { device } from '@trackway/contract/resources/device.ts';
import type { deviceV2 } from '@trackway/contract/resources/v2/device-v2.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { Call } from '../../calls.ts';
import { modelNotFound } from '../../refusals.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store } from '../schema/tables.ts';
import { EVERY_DEVICE } from './access.ts';
import { showDeviceV2 } from './include-v2.ts';
import { shownTo } from './shown-devices.ts';

/** One device as version 2 shows it to the caller. */
export async function deviceInV2(
  store: Store,
  { caller, now }: Pick<Call, 'caller' | 'now'>,
  deviceId: number,
): Promise<Shown<typeof deviceV2>> {
  const rows = collectionOf(store, 'devices', device);
  const row = await rows.find(shownTo(EVERY_DEVICE, caller, now), deviceId);
  if (row === undefined) throw modelNotFound('device', deviceId);
  return showDeviceV2(rows.present(row));
}
