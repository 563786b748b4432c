import type { Stop, Trip } from '../../../api/devices.ts';
import type { Notification } from '../../../api/notifications.ts';
import type { Activity, TimelineEntry } from '../../../api/timeline.ts';
import { dayKey } from '../../../format/times.ts';

export const GROUPS = ['drives', 'alarms', 'messages', 'device'] as const;
export type Group = (typeof GROUPS)[number];

/** One event, from any source. */
export type Happening = { readonly key: string; readonly at: number; readonly group: Group } & (
  | { readonly kind: 'trip'; readonly trip: Trip }
  | { readonly kind: 'stop'; readonly stop: Stop }
  | { readonly kind: 'ignition'; readonly isOn: boolean }
  | { readonly kind: 'notification'; readonly notification: Notification }
  | { readonly kind: 'entry'; readonly entry: TimelineEntry }
);

export interface Recorded {
  readonly trips: readonly Trip[];
  readonly stops: readonly Stop[];
  readonly activity: Activity | undefined;
  readonly notifications: readonly Notification[];
  readonly entries: readonly TimelineEntry[];
}

/** All events, newest first. An event that began before the range belongs to an earlier day. */
export function happeningsOf({ trips, stops, activity, notifications, entries }: Recorded, from: number): Happening[] {
  const all: Happening[] = [
    ...trips.map((trip) => ({
      ...{ key: `trip-${trip.id}`, at: Date.parse(trip.start), group: 'drives' as const },
      ...{ kind: 'trip' as const, trip },
    })),
    ...stops.map((stop) => ({
      ...{ key: `stop-${stop.id}`, at: Date.parse(stop.start), group: 'drives' as const },
      ...{ kind: 'stop' as const, stop },
    })),
    ...ignitionOf(activity),
    ...notifications.map((notification) => ({
      ...{ key: `notification-${notification.id}`, at: Date.parse(notification.timestamp), group: 'alarms' as const },
      ...{ kind: 'notification' as const, notification },
    })),
  ].filter(({ at }) => at >= from);
  const recorded = entries.map((entry, index) => ({
    ...{ key: `entry-${index}-${entry.type}-${entry.timestamp}`, at: Date.parse(entry.at) },
    group: entry.type.startsWith('devicemessage/') ? ('messages' as const) : ('device' as const),
    ...{ kind: 'entry' as const, entry },
  }));
  return [...all, ...recorded].sort((one, other) => other.at - one.at);
}

const IS_ON = { off: false, idle: true, movingWithIgnitionOn: true, movingWithIgnitionOff: false };

/** When the ignition was switched on or off; empty without a sensor. */
function ignitionOf(activity: Activity | undefined): Happening[] {
  if (!activity?.known.ignition) return [];
  return activity.log.flatMap(({ state, start }, index): Happening[] => {
    const before = activity.log[index - 1];
    const isOn = IS_ON[state];
    if (before === undefined || IS_ON[before.state] === isOn) return [];
    return [{ key: `ignition-${start}`, at: Date.parse(start), group: 'drives', kind: 'ignition', isOn }];
  });
}

/** Days of the viewer's zone, newest first. */
export function byDay(happenings: readonly Happening[]): { day: string; happenings: Happening[] }[] {
  const days = Map.groupBy(happenings, ({ at }) => dayKey(at));
  return [...days]
    .map(([day, those]) => ({ day, happenings: those }))
    .sort((one, other) => (one.day < other.day ? 1 : -1));
}
