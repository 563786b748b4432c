import { useEffect, useState } from 'react';
import { keyOf } from '../../api/calls.ts';
import { queryClient } from '../../api/client.ts';
import { type Device, type Point, usePoints } from '../../api/devices.ts';
import { useFleet } from '../../api/live/fleet.ts';
import { type DeviceNow, nowOf } from '../../api/live/fleet-device.ts';
import { onLive, useLive } from '../../api/live/live.ts';
import { useNow } from '../../format/use-format.ts';
import { usePreferences } from '../../preferences.ts';

/** Many positions may arrive per second; the page shows the newest one at this interval. */
const SHOWN_EVERY_MS = 500;
/** Interval of checks whether the state is still current. */
const SHOWN_NOW_MS = 5000;

/** Fields of the newest position that pages show. */
const SHOWN = [
  ...['id', 'deviceId', 'timestamp', 'location', 'locationType', 'accuracy', 'altitude', 'speed', 'course'],
  ...['averageCharge', 'cell'],
];

/** Keeps the cached device up to date with the stream; false once the viewer may no longer see it. */
export function useLiveDevice(deviceId: number): boolean {
  const [goneId, setGoneId] = useState<number>();
  useLive('device', ({ id, moving: _, ...news }) => {
    if (id !== deviceId) return;
    queryClient.setQueryData(
      keyOf('getDevice', { id }),
      (device: Device | undefined) => device && { ...device, ...news },
    );
  });
  useLive('access', (event) => {
    if (event.deviceId !== deviceId) return;
    setGoneId(event.right === null ? deviceId : undefined);
    if (event.right !== null)
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => hasId(queryKey[1], deviceId) });
  });
  return goneId !== deviceId;
}

const hasId = (input: unknown, id: number) => (input as { id?: unknown } | undefined)?.id === id;

/** The newest position of a device with a place, kept up to date by the stream. */
export function useNewestPoint(deviceId: number) {
  const filter = { where: { locationType: { neq: 'invalid' } }, order: 'timestamp DESC', fields: SHOWN, limit: 1 };
  const query = usePoints(deviceId, filter);
  const [newest, setNewest] = useState<Point>();
  useEffect(() => {
    let waiting: Point | undefined;
    const show = setInterval(() => {
      if (waiting) setNewest(waiting);
      waiting = undefined;
    }, SHOWN_EVERY_MS);
    const end = onLive('position', (point) => {
      // The stream has no cells.
      if (point.deviceId === deviceId && point.location) waiting = { ...point, cell: null };
    });
    return () => {
      clearInterval(show);
      end();
    };
  }, [deviceId]);
  const read = query.data?.[0];
  const point = newest && (!read || newest.timestamp >= read.timestamp) && newest.deviceId === deviceId ? newest : read;
  return { point, isPending: query.isPending };
}

/**
 * The current state, as on the map; undefined for a device that has never reported. It renders its component up to
 * twice a second: keep that small.
 */
export function useDeviceNow(device: Device): DeviceNow | undefined {
  const now = useNow(SHOWN_NOW_MS);
  const { offlineAfterMin } = usePreferences();
  const known = useFleet().devices.get(device.id);
  if (device.lastConnection === null) return undefined;
  const lastSeenAt = Math.max(Date.parse(device.lastConnection), known?.lastSeenAt ?? 0);
  const { moving, at, speedKmh, course } = known ?? { moving: null, at: 0, speedKmh: null, course: null };
  return nowOf({ lastSeenAt, moving, at, speedKmh, course }, Math.max(now, Date.now()), offlineAfterMin);
}
