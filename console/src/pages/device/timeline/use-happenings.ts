import { useMemo } from 'react';
import { useMe } from '../../../api/accounts/users.ts';
import { readAnew } from '../../../api/calls.ts';
import { useStops, useTrips } from '../../../api/devices.ts';
import { useLive } from '../../../api/live/live.ts';
import { useDeviceNotifications } from '../../../api/notifications.ts';
import { TIMELINES, type TimelineType, useActivity, useTimelines } from '../../../api/timeline.ts';
import type { Rights } from '../rights.ts';
import { type Happening, happeningsOf } from './happenings.ts';

const LIVE_EVERY_MS = 30_000;
const MOST_NOTIFICATIONS = 1000;

/** All events of a device in a time range, from all sources. */
export function useHappenings(deviceId: number, rights: Rights, from: number, to: number) {
  const isAdmin = useMe().data?.admin === true;
  const isLive = to > Date.now();
  const span = useMemo(() => ({ from: new Date(from).toISOString(), to: new Date(to - 1).toISOString() }), [from, to]);
  const types = useMemo(() => typesFor(rights.mayOwn, isAdmin), [rights.mayOwn, isAdmin]);
  const options = isLive ? { refetchInterval: LIVE_EVERY_MS } : {};
  const trips = useTrips(deviceId, span, options);
  const stops = useStops(deviceId, span, options);
  const activity = useActivity(deviceId, span, options);
  const notifications = useDeviceNotifications(
    deviceId,
    {
      where: { timestamp: { between: [span.from, span.to] } },
      order: 'timestamp DESC',
      limit: MOST_NOTIFICATIONS,
    },
    options,
  );
  const entries = useTimelines(deviceId, types, span, options);
  useLive('notification', (event) => {
    if (isLive && event.deviceId === deviceId) void readAnew(['listDeviceNotifications']);
  });
  useLive('message', (event) => {
    if (isLive && event.deviceId === deviceId) void readAnew(['getTimeline']);
  });

  const all = [trips, stops, activity, notifications, entries];
  const isPending = all.some((query) => query.data === undefined);
  const data = useMemo((): Happening[] | undefined => {
    if (!trips.data || !stops.data || !activity.data || !notifications.data || !entries.data) return undefined;
    const recorded = { trips: trips.data, stops: stops.data, activity: activity.data };
    return happeningsOf({ ...recorded, notifications: notifications.data, entries: entries.data }, from);
  }, [trips.data, stops.data, activity.data, notifications.data, entries.data, from]);
  return {
    data,
    isPending,
    error: all.find(({ error }) => error)?.error ?? null,
    refetch: () => Promise.all(all.filter(({ error }) => error).map((query) => query.refetch())),
  };
}

/** Positions are shown on the map, and each timeline requires its right. */
const typesFor = (mayOwn: boolean, isAdmin: boolean): TimelineType[] =>
  (Object.keys(TIMELINES) as TimelineType[]).filter((type) => {
    const needed = TIMELINES[type];
    return type !== 'datapoint' && (needed === 'view' || (needed === 'own' ? mayOwn : isAdmin));
  });
