import { AVAILABILITIES, type firmwareOperations as contract } from '@trackway/contract/resources/commands/firmware.ts';
import type { Call, Handlers } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { invalidField, modelNotFound } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { type DeviceEvent, recordDeviceEvent } from '../devices/device-events.ts';
import { findRow } from '../rows.ts';
import type { DeviceConfigRow } from '../schema/rows/device-rows.ts';
import type { Store } from '../schema/tables.ts';

const FORCED = 9;
const REQUESTED = { type: 'bootloader/requested', description: 'A firmware update was requested.' } as const;
const CANCELLED = { type: 'bootloader/cancelled', description: 'The firmware update was cancelled.' } as const;
/** No update is requested. */
export const NOTHING_WANTED = { otaFW: null, forceFw: 0, updateAvailibility: 0, flashTryCount: 0 };

/** The installed and the requested firmware of a device. It is sent with the configuration. */
export function firmwareOperations(store: Store): Handlers<keyof typeof contract> {
  async function configOf(deviceId: number) {
    const config = await findRow(store.query, 'deviceConfigs', { deviceId }, [
      'currentFW',
      'otaFW',
      'fwChannel',
      'forceFw',
      'updateAvailibility',
      'flashTryCount',
    ]);
    if (config === undefined) throw modelNotFound('device', deviceId);
    return config;
  }

  const set = (
    call: Call,
    values: Partial<Omit<DeviceConfigRow, 'id'>>,
    event: Pick<DeviceEvent, 'type' | 'description' | 'meta'>,
  ) =>
    store.transaction(async (tx) => {
      const { deviceId, now } = call;
      const detail = { firmware: event.meta ?? null };
      await recordDeviceAudit(tx, call, { action: 'deviceConfig.updated', deviceId, detail });
      const reported = { ...values, modified: now };
      await tx.updateTable('deviceConfigs').set(reported).where('deviceId', '=', deviceId).execute();
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

    async requestFirmwareUpdate(call) {
      const { build = null, channel = null, availability = null } = call.body;
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
      await set(call, wanted, { ...REQUESTED, meta: { build, channel, availability } });
      return { build, channel, availability };
    },

    async cancelFirmwareUpdate(call) {
      const { otaFW, forceFw, updateAvailibility } = await configOf(call.deviceId);
      const isAsked = otaFW !== null || forceFw === 1 || (updateAvailibility ?? 0) !== 0;
      // The device may have received the request, so the cancellation is sent.
      if (isAsked) await set(call, NOTHING_WANTED, CANCELLED);
      return 'ok';
    },
  };
}
