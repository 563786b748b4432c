import type { Posting } from '../../platform/outbox/post.ts';
import type { Forwarder } from './forwarder-row.ts';
import { otherDeviceOf, presentNotification } from './presented.ts';
import type { Subjects } from './subjects.ts';
import { destinationOf } from './targets.ts';
import type { ToSend } from './to-send.ts';

/** The topics that subscribers of the published service listen to, below that of the device. */
const TOPICS = { point: 'datapoints', reading: 'readings', notification: 'notifications' } as const;

/** Points and readings as the API shows them. */
interface Shown {
  readonly points: readonly object[];
  readonly readings: readonly object[];
}

/**
 * Messages for a user who listens with credentials for the broker: each item without an envelope, as existing
 * subscribers parse it.
 */
export function publishToListener(
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
