import { specOf } from '@trackway/contract/channels.ts';
import type { Posting } from '../../../platform/outbox/post.ts';
import { destinationOf } from '../destination-of.ts';
import { type EnvelopeMessage, machineContent } from '../envelopes/envelope.ts';
import {
  madeNotification,
  otherDeviceOf,
  presentNotification,
  presentPoint,
  presentReading,
} from '../envelopes/presented.ts';
import { type Subjects, storedPoint, storedReading } from '../envelopes/subjects.ts';
import type { ToSend } from '../to-send.ts';
import type { Forwarder } from './forwarder-row.ts';
import { tellListener } from './tell-listener.ts';

/** The topic of each kind of thing, below the topic of the forwarder. */
const TOPICS = {
  newLoc: 'points',
  newReading: 'readings',
  newMsg: 'messages',
  notification: 'notifications',
  correction: 'corrections',
} as const;

export type What = keyof typeof TOPICS;

/** What the forwarders of a device send of what happened to it. */
export function forward(outgoing: ToSend, subjects: Subjects, living: ReadonlySet<number>, now: number): Posting[] {
  const postings: Posting[] = [];
  if (outgoing.forwarders.length === 0) return postings;
  const { deviceId, points = [], readings = [], messages = [], notifications = [] } = outgoing;
  const { name, ...device } = subjects.device(deviceId);
  const shown = {
    points: points.map((point) => presentPoint(storedPoint(point, deviceId, now))),
    readings: readings.map((reading) => presentReading(storedReading(reading, now))),
  };
  for (const forwarder of outgoing.forwarders) {
    const { userId, types } = forwarder;
    if (forwarder.isListener) {
      if (living.has(userId)) postings.push(...tellListener(forwarder, outgoing, shown, subjects));
      continue;
    }
    const send = (
      what: What,
      message: Omit<EnvelopeMessage, 'device'>,
      of?: Pick<Posting, 'notificationId' | 'otherDeviceId'>,
    ) => postings.push({ ...forwardOne(forwarder, deviceId, what, { ...message, device }, now), ...of });
    if (types.has('newLoc'))
      for (const [index, { id: pointId, timestamp: at }] of points.entries()) {
        const made = { deviceId, userId, pointId, at, sentence: `${name} reported its position` };
        send('newLoc', { notification: madeNotification('newLoc', made, now), datapoint: shown.points[index]! });
      }
    if (types.has('newReading'))
      for (const [index, { type, timestamp: at, datapointId: pointId }] of readings.entries()) {
        const made = { deviceId, userId, pointId, at, sentence: `${name} reported ${type}` };
        send('newReading', {
          notification: madeNotification('newReading', made, now),
          reading: shown.readings[index]!,
        });
      }
    if (types.has('newMsg'))
      for (const message of messages) {
        const made = { deviceId, userId, pointId: null, at: now, sentence: `${name} sent a message` };
        send('newMsg', { notification: madeNotification('newMsg', made, now), message });
      }
    if (types.has('notification'))
      for (const notification of notifications) {
        // A notification goes to its own user alone, and one that was muted is not sent.
        if (notification.userId !== userId || notification.status !== 'valid') continue;
        const about = subjects.of(notification);
        const of = { notificationId: notification.id, otherDeviceId: otherDeviceOf(notification) };
        send('notification', { notification: presentNotification(notification), ...about }, of);
      }
  }
  return postings;
}

/** One message that a forwarder sends. */
export function forwardOne(
  { id: forwarderId, userId, kind, target, isRaw }: Forwarder,
  deviceId: number,
  what: What,
  message: EnvelopeMessage,
  now: number,
  notificationId?: number,
): Posting {
  const content = machineContent(kind, message, { isRaw, now });
  const address = specOf(kind).address.from === 'topic' ? `${target}/${TOPICS[what]}` : null;
  const about = { userId, deviceId, what, forwarderId, notificationId };
  return { ...destinationOf(kind, target, userId), address, ...about, content };
}
