import { AVAILABILITIES, type firmwareOperations as contract } from '@trackway/contract/resources/commands/firmware.ts';
import type { Handlers } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { invalidField, modelNotFound } from '../../refusals.ts';
import { type DeviceEvent, recordDeviceEvent } from '../devices/device-events.ts';
import type { DeviceConfigRow } from '../schema/rows/device-rows.ts';
import type { Store } from '../schema/tables.ts';

const FORCED = 9;
const REQUESTED = { type: 'bootloader/requested', description: 'An update of the firmware was asked for.' } as const;
const CANCELLED = { type: 'bootloader/cancelled', description: 'The update of the firmware was cancelled.' } as const;
/** No update is asked for. */
export const NOTHING_WANTED = { otaFW: null, forceFw: 0, updateAvailibility: 0, flashTryCount: 0 };

/** What firmware a device runs, and what it is asked to install. It is told with its configuration. */
export function firmwareOperations(store: Store): Handlers<keyof typeof contract> {
  async function configOf(deviceId: number) {
    const config = await store.query
      .selectFrom('deviceConfigs')
      .select(['currentFW', 'otaFW', 'fwChannel', 'forceFw', 'updateAvailibility', 'flashTryCount'])
      .where('deviceId', '=', deviceId)
      .executeTakeFirst();
    if (config === undefined) throw modelNotFound('device', deviceId);
    return config;
  }

  const set = (
    deviceId: number,
    values: Partial<Omit<DeviceConfigRow, 'id'>>,
    event: Pick<DeviceEvent, 'type' | 'description' | 'meta'>,
    now: number,
  ) =>
    store.transaction(async (tx) => {
      const told = { ...values, modified: now };
      await tx.updateTable('deviceConfigs').set(told).where('deviceId', '=', deviceId).execute();
      await recordDeviceEvent(tx, { deviceId, ...event }, now);
    });

  return {
    async getCurrentFirmware({ deviceId }) {
      const { currentFW, fwChannel } = await configOf(deviceId);
      return { build: currentFW, channel: fwChannel };
    },

    async getFirmwareUpdate({ deviceId }) {
      const { currentFW, otaFW, updateAvailibility, flashTryCount, forceFw } = await configOf(deviceId);
      const wanted = otaFW === currentFW ? null : otaFW;
      const isOver = otaFW !== null && wanted === null;
      const number = wanted !== null && /^\d{1,15}$/.test(wanted) ? Number(wanted) : null;
      return {
        pending: number,
        pendingName: number === null ? wanted : null,
        pendingReason: wanted === null ? null : 'requested',
        request: number,
        updateAvailability: isOver ? 0 : (updateAvailibility ?? 0),
        updateRedirects: wanted === null ? 0 : (flashTryCount ?? 0),
        _forceFW: !isOver && forceFw === 1,
      };
    },

    async requestFirmwareUpdate({ deviceId, body, now }) {
      const { build = null, channel = null, availability = null } = body;
      if (build === null && channel === null && availability === null)
        throw badRequest('build, channel or availability is required');
      if (availability !== null && !AVAILABILITIES.some((one) => one === availability))
        throw invalidField(
          'firmware update',
          'availability',
          'inclusion',
          `is not one of ${AVAILABILITIES.join(', ')}`,
        );
      const wanted = {
        ...(build !== null && { otaFW: build }),
        ...(channel !== null && { fwChannel: channel }),
        ...(availability !== null && { updateAvailibility: availability, forceFw: availability === FORCED ? 1 : 0 }),
        flashTryCount: 0,
      };
      await set(deviceId, wanted, { ...REQUESTED, meta: { build, channel, availability } }, now);
      return { build, channel, availability };
    },

    async cancelFirmwareUpdate({ deviceId, now }) {
      const { otaFW, forceFw, updateAvailibility } = await configOf(deviceId);
      const isAsked = otaFW !== null || forceFw === 1 || (updateAvailibility ?? 0) !== 0;
      // The device may have heard of it, so it is told.
      if (isAsked) await set(deviceId, NOTHING_WANTED, CANCELLED, now);
      return 'ok';
    },
  };
}
