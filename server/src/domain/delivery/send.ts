import { specOf } from '@trackway/contract/channels.ts';
import { because } from '../../platform/because.ts';
import type { Posting } from '../../platform/outbox/post.ts';
import { dialectOf } from '../../platform/storage/dialect.ts';
import type { Tx } from '../schema/tables.ts';
import type { Forwarder } from './forwarders.ts';
import { livingListeners, publishToListener, readForwardersAndListeners } from './listeners.ts';
import { notificationPostings } from './notify.ts';
import { flushPostings, postOfDevices } from './outbox-relay.ts';
import {
  type EnvelopeMessage,
  machineContent,
  madeNotification,
  otherDeviceOf,
  presentPoint,
  presentReading,
  sentNotification,
} from './presented.ts';
import type { RecipientToAsk } from './recipients.ts';
import type { SendingPolicy } from './sending-policy.ts';
import { readSubjects, type Subjects, storedPoint, storedReading, type ToSend } from './subjects.ts';
import { destinationOf } from './targets.ts';

/** Whether there is anything to do, so that devices without outgoing data cost nothing. */
export const isAnythingToSend = ({ forwarders, notifications = [], retracted = [] }: Omit<ToSend, 'deviceId'>) =>
  forwarders.length > 0 || notifications.length > 0 || retracted.length > 0;

/** Records everything that must be sent, in the transaction that caused it. */
export async function send(tx: Tx, policy: SendingPolicy, all: readonly ToSend[], now: number): Promise<void> {
  const outgoing = all.filter(isAnythingToSend);
  if (outgoing.length === 0) return;
  const subjects = await readSubjects(tx, outgoing, now);
  const postings: Posting[] = [];
  const living = await livingListeners(
    tx,
    outgoing.flatMap(({ forwarders }) => forwarders),
    now,
  );
  for (const one of outgoing) postings.push(...forward(one, subjects, living, now));
  const toAsk: RecipientToAsk[] = [];
  const askLater = dialectOf(tx).isDistributed ? (recipient: RecipientToAsk) => toAsk.push(recipient) : undefined;
  postings.push(...(await notificationPostings(tx, policy, outgoing, subjects, now, { askLater })));
  postings.push(...(await retractionPostings(tx, outgoing, subjects, now)));
  await postOfDevices(tx, postings, now, { deviceId: outgoing[0]!.deviceId, toAsk });
}

/** Forwards what a person stored, as if the device had reported it. */
export async function sendStored(
  tx: Tx,
  stored: Pick<ToSend, 'deviceId' | 'points' | 'readings'>,
  now: number,
): Promise<void> {
  const outgoing = { ...stored, forwarders: await readForwardersAndListeners(tx, stored.deviceId, now) };
  if (outgoing.forwarders.length === 0) return;
  const living = await livingListeners(tx, outgoing.forwarders, now);
  await postOfDevices(tx, forward(outgoing, await readSubjects(tx, [outgoing], now), living, now), now);
}

const AT_ONCE = 500;

/**
 * Cancels what was not sent yet of retracted notifications. For notifications that were sent, forwarders with
 * corrections enabled send one.
 */
async function retractionPostings(
  tx: Tx,
  outgoing: readonly ToSend[],
  subjects: Subjects,
  now: number,
): Promise<Posting[]> {
  const postings: Posting[] = [];
  for (const { deviceId, forwarders, retracted = [] } of outgoing) {
    const { name: _, ...device } = subjects.device(deviceId);
    // Only what is in the outbox can be cancelled.
    if (retracted.length > 0) await flushPostings(tx, deviceId, now);
    for (let start = 0; start < retracted.length; start += AT_ONCE) {
      const some = retracted.slice(start, start + AT_ONCE);
      const unsent = await cancel(tx, deviceId, some, now);
      const correcting = forwarders.filter(
        ({ wantsCorrections, types }) => wantsCorrections && types.has('notification'),
      );
      if (correcting.length === 0) continue;
      // What was muted was never sent.
      const valid = some.filter(({ status }) => status === 'valid').map(({ id }) => id);
      if (valid.length === 0) continue;
      const rows = await tx
        .selectFrom('notifications')
        .selectAll()
        .where('deviceId', '=', deviceId)
        .where('id', 'in', valid)
        .orderBy('id')
        .execute();
      for (const row of rows)
        for (const forwarder of correcting) {
          if (forwarder.userId !== row.userId || unsent.has(`${row.id} ${forwarder.id}`)) continue;
          const correction = { status: 'retracted', reason: row.reason ?? '' };
          const message = { notification: sentNotification(row), correction, device };
          postings.push(forwardOne(forwarder, deviceId, 'correction', message, now, row.id));
        }
    }
  }
  return postings;
}

/** Answers which forwarders have not sent the notification, as `notification forwarder`. */
async function cancel(
  tx: Tx,
  deviceId: number,
  retracted: NonNullable<ToSend['retracted']>,
  now: number,
): Promise<Set<string>> {
  const unsent = new Set<string>();
  const waiting = await tx
    .selectFrom('outbox')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where(
      'notificationId',
      'in',
      retracted.map(({ id }) => id),
    )
    .where('state', 'in', ['queued', 'held'])
    // In the same order as digests, to prevent deadlocks.
    .orderBy('nextAt')
    .orderBy('id')
    .forUpdate()
    .execute();
  const ids = waiting.map(({ id }) => id);
  if (ids.length === 0) return unsent;
  const rows = await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', ...because('retracted', { reason: { code: 'laterData' } }), ended: now })
    .where('deviceId', '=', deviceId)
    .where('id', 'in', ids)
    .returning(['notificationId', 'forwarderId'])
    .execute();
  for (const { notificationId, forwarderId } of rows) if (forwarderId) unsent.add(`${notificationId} ${forwarderId}`);
  return unsent;
}

/** The topic of each kind of thing, below the topic of the forwarder. */
const TOPICS = {
  newLoc: 'points',
  newReading: 'readings',
  newMsg: 'messages',
  notification: 'notifications',
  correction: 'corrections',
} as const;

type What = keyof typeof TOPICS;

/** What the forwarders of a device send of what happened to it. */
function forward(outgoing: ToSend, subjects: Subjects, living: ReadonlySet<number>, now: number): Posting[] {
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
      if (living.has(userId)) postings.push(...publishToListener(forwarder, outgoing, shown, subjects));
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
      for (const [index, { id: readingId, type, timestamp: at, datapointId: pointId }] of readings.entries()) {
        const made = { deviceId, userId, pointId, readingId, at, sentence: `${name} reported ${type}` };
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
        send('notification', { notification: sentNotification(notification), ...about }, of);
      }
  }
  return postings;
}

/** One message that a forwarder sends. */
function forwardOne(
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
