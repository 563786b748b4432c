import type { device } from '@trackway/contract/resources/device.ts';
import type { deviceConfig } from '@trackway/contract/resources/device-config.ts';
import { type deviceConfigV2, deviceV2 } from '@trackway/contract/resources/v2/device-v2.ts';
import type { Shown } from '@trackway/contract/schema.ts';

/** Devices and configurations in the names of version 2, made of what version 1 shows. */

type Device = Shown<typeof device>;
type Config = Shown<typeof deviceConfig>;

const FIELDS = Object.keys(deviceV2.fields) as (keyof Shown<typeof deviceV2> & keyof Device)[];

export function showDeviceV2(shown: Device): Shown<typeof deviceV2> {
  const same = Object.fromEntries(FIELDS.map((name) => [name, shown[name]])) as Shown<typeof deviceV2>;
  const { batteryPct, tags, meta } = shown;
  return {
    ...same,
    batteryPct: batteryPct === null ? null : Math.round(batteryPct),
    tags: tags ?? [],
    meta: meta ?? {},
  };
}

/** A firmware version that is a whole number. */
const numberOf = (version: string | null) => {
  const value = version !== null && /^\d{1,16}$/.test(version) ? Number(version) : null;
  return Number.isSafeInteger(value) ? value : null;
};

export function showConfigV2(config: Config & { fwChannel?: string | null }): Omit<Shown<typeof deviceConfigV2>, 'id'> {
  const { id: _, deviceId, safeZoneId, checkInInterval, onDemandTime, updateAvailibility, ...same } = config;
  const { currentFW, otaFW, movementSensitivity, movementSensitivity2, ...more } = same;
  const { reasonsToWake, timed, ...rest } = more;
  return {
    ...rest,
    currentFW: numberOf(currentFW),
    currentFWName: currentFW,
    otaFW: numberOf(otaFW),
    otaFWName: otaFW,
    movementSensitivity: movementSensitivity2,
    movementSensitivityOld: movementSensitivity,
    updateAvailability: updateAvailibility,
    reasonsToWake: reasonsToWake?.[0] ?? {},
    timed: timed === null || timed.length === 0 ? null : JSON.stringify(timed),
    fwChannel: config.fwChannel ?? null,
  };
}
