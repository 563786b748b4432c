import type { Posting } from '../../../platform/outbox/post.ts';
import { destinationOf } from '../destination-of.ts';
import { otherDeviceOf, presentNotification } from '../envelopes/presented.ts';
import type { Subjects } from '../envelopes/subjects.ts';
import type { ToSend } from '../to-send.ts';
import type { Forwarder } from './forwarder-row.ts';

/** The topics that subscribers of the published service listen to, below that of the device. */
const TOPICS = { point: 'datapoints', reading: 'readings', notification: 'notifications' } as const;

/** Points and readings as the API shows them. */
interface Shown {
  readonly points: readonly object[];
  readonly readings: readonly object[];
}

/** What a user who listens by credentials for the broker is told: each thing bare, as published subscribers parse it. */
export function tellListener(
  { userId, kind, target }: Forwarder,
  { deviceId, notifications = [] }: ToSend,
  shown: Shown,
  subjects: Subjects,
): Posting[] {
  const say = (
    topic: keyof typeof TOPICS,
    thing: object,
    of?: Pick<Posting, 'notificationId' | 'otherDeviceId'>,
  ): Posting => ({
    ...destinationOf(kind, target, userId),
    userId,
    deviceId,
    address: `${target}/${TOPICS[topic]}`,
    what: 'subscription',
    content: { text: JSON.stringify(thing), type: 'application/json' },
    ...of,
  });
  const own = notifications.filter((one) => one.userId === userId && one.status === 'valid');
  return [
    ...shown.points.map((point) => say('point', point)),
    ...shown.readings.map((reading) => say('reading', reading)),
    ...own.map((notification) => {
      const { timestamp, params } = presentNotification(notification) as unknown as NotificationShown;
      const { name, type } = params;
      const thing = {
        timestamp,
        params,
        trigger: { name, id: notification.triggerId, type },
        point: subjects.of(notification).datapoint ?? null,
        device: subjects.named(deviceId),
      };
      const of = { notificationId: notification.id, otherDeviceId: otherDeviceOf(notification) };
      return say('notification', thing, of);
    }),
  ];
}

interface NotificationShown {
  readonly timestamp: string;
  readonly params: { readonly name: string; readonly type: string };
}
