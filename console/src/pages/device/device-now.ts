import { useEffect, useState } from 'react';
import { keyOf } from '../../api/calls.ts';
import { queryClient } from '../../api/client.ts';
import { type Device, type Point, usePoints } from '../../api/devices.ts';
import { useFleet } from '../../api/live/fleet.ts';
import { type DeviceNow, nowOf } from '../../api/live/fleet-device.ts';
import { onLive, useLive } from '../../api/live/live.ts';
import { useNow } from '../../format/use-format.ts';
import { usePreferences } from '../../preferences.ts';

/** Positions may come many a second; so often the page shows the newest. */
const SHOWN_EVERY_MS = 500;
/** So often it is asked anew whether what is known is still what is. */
const SHOWN_NOW_MS = 5000;

/** What pages show of the newest position. */
const SHOWN = [
  ...['id', 'deviceId', 'timestamp', 'location', 'locationType', 'accuracy', 'altitude', 'speed', 'course'],
  'averageCharge',
];

/** Keeps what was read of a device up to date with what the stream tells; false once the viewer may not see it any more. */
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

/** The newest position of a device that has a place, kept new by the stream. */
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
      if (point.deviceId === deviceId && point.location) waiting = point;
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
 * What it does now, as the map says it; undefined for one that never reported. It renders whoever uses it up to twice a
 * second: keep that small.
 */
export function useDeviceNow(device: Device): DeviceNow | undefined {
  const now = useNow(SHOWN_NOW_MS);
  const { offlineAfterMin } = usePreferences();
  const known = useFleet().devices.get(device.id);
  if (device.lastConnection === null) return undefined;
  const lastHeardAt = Math.max(Date.parse(device.lastConnection), known?.lastHeardAt ?? 0);
  const { moving, at, speedKmh, course } = known ?? { moving: null, at: 0, speedKmh: null, course: null };
  return nowOf({ lastHeardAt, moving, at, speedKmh, course }, Math.max(now, Date.now()), offlineAfterMin);
}
