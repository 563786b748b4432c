import type { Nearby } from '../../../api/readings.ts';

/** A sighted tag with all its newest values. */
export interface NearbyThing {
  readonly key: string;
  /** Null if it is not a device of the viewer. */
  readonly deviceId: number | null;
  readonly name: string | null;
  /** Time of the last sighting. */
  readonly at: number;
  readonly rssi: number | null;
  /** Measured by ultra-wideband. */
  readonly distanceM: number | null;
  /** Its sensor values, newest first. */
  readonly readings: readonly { readonly type: string; readonly value: unknown; readonly at: number }[];
}

/** Readings that contain only presence and distance. */
const PRESENCE = ['ble_seen', 'uwb_seen'];
const CM_PER_M = 100;

export function thingsOf(nearby: readonly Nearby[]): NearbyThing[] {
  return nearby
    .map(({ device, readings }) => {
      const newest = Object.entries(readings)
        .map(([type, { value, timestamp, rssi }]) => ({ type, value, at: timestamp, rssi: rssi as number | null }))
        .sort((one, other) => other.at - one.at);
      const far = newest.find(({ type, value }) => type === 'uwb_seen' && typeof value === 'number');
      return {
        key: device.id === 0 ? `sensor ${device.sensorDeviceId}` : `device ${device.id}`,
        deviceId: device.id === 0 ? null : device.id,
        name: (device.name ?? device.sensorDeviceId) as string | null,
        at: newest[0]?.at ?? 0,
        rssi: newest.find(({ rssi }) => rssi !== null)?.rssi ?? null,
        distanceM: far === undefined ? null : (far.value as number) / CM_PER_M,
        readings: newest.filter(({ type }) => !PRESENCE.includes(type)).map(({ rssi: _, ...reading }) => reading),
      };
    })
    .sort((one, other) => other.at - one.at);
}
