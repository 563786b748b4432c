import type { Posting } from '../../platform/outbox/post.ts';
import { may } from '../rights.ts';
import type { Tx } from '../schema/tables.ts';
import { livingCredentials } from '../users/tokens.ts';
import { type Forwarder, readForwarders } from './forwarders.ts';
import { otherDeviceOf, presentNotification, topicOf } from './presented.ts';
import type { Subjects, ToSend } from './subjects.ts';
import { destinationOf } from './targets.ts';

/**
 * A user who has credentials for the broker listens to every device that is theirs or shared with them, as if they had a
 * forwarder on each.
 */
export const listenerOf = (userId: number, deviceId: number): Forwarder => ({
  id: 0,
  userId,
  kind: 'mqtt',
  target: topicOf(userId, deviceId),
  types: SIGHTINGS,
  isRaw: true,
  wantsCorrections: false,
  isListener: true,
});

const SIGHTINGS: ReadonlySet<string> = new Set(['newLoc', 'newReading', 'notification']);

/** The forwarders of a device, and the users who listen to it. */
export async function readForwardersAndListeners(on: Tx, deviceId: number, now: number): Promise<Forwarder[]> {
  const rows = await on
    .selectFrom('geofenceRevisions as u')
    .innerJoin('devices as d', (join) => join.on('d.id', '=', deviceId))
    .select('u.userId')
    .where('u.mqttUntil', '>', now)
    .where((when) =>
      when.or([
        when('d.ownerId', '=', when.ref('u.userId')),
        when.exists(
          when
            .selectFrom('shares as s')
            .select('s.id')
            .where('s.deviceId', '=', deviceId)
            .whereRef('s.userId', '=', 'u.userId'),
        ),
      ]),
    )
    .where(may('view', 'u.userId', deviceId))
    .orderBy('u.userId')
    .execute();
  return [...(await readForwarders(on, deviceId)), ...rows.map(({ userId }) => listenerOf(userId, deviceId))];
}

/** The listeners with valid credentials, checked in the transaction that sends. */
export async function livingListeners(
  tx: Tx,
  forwarders: readonly Forwarder[],
  now: number,
): Promise<ReadonlySet<number>> {
  const asked = new Set(forwarders.filter(({ isListener }) => isListener).map(({ userId }) => userId));
  if (asked.size === 0) return asked;
  const rows = await livingCredentials(tx, now)
    .select('t.userId')
    .distinct()
    .where('t.userId', 'in', [...asked])
    .execute();
  return new Set(rows.map(({ userId }) => userId));
}

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
