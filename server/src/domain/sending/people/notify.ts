import type { Channel } from '@trackway/contract/channels.ts';
import type { Kysely } from 'kysely';
import type { Posting } from '../../../platform/outbox/post.ts';
import { wallText } from '../../../platform/wall-clock.ts';
import type { Tables } from '../../schema/tables.ts';
import { quietUntil } from '../../users/quiet-hours.ts';
import { contentFor, type EnvelopeMessage, topicOf } from '../envelopes/envelope.ts';
import { presentNotification, type StoredNotification } from '../envelopes/presented.ts';
import type { Subjects } from '../envelopes/subjects.ts';
import { isQueueArn } from '../queues/queue-address.ts';
import { holdQueue } from '../queues/queue-holders.ts';
import type { SendingPolicy } from '../sending-policy.ts';
import { BROKER, MAIL_SERVER } from '../servers.ts';
import type { ToSend } from '../to-send.ts';
import { channelsOf, endpointOf, isMailAddress, mailAddressOf, queueOf, type Wanted } from '../wanted-channels.ts';
import { mailOf, type News, pushOf } from './letters.ts';
import { People, type Person } from './people.ts';
import { stormUntil } from './storm.ts';
import { isUrgent } from './urgent.ts';

/** What became of a posting before it was sent at all. */
type Fate = Pick<Posting, 'state' | 'reason' | 'nextAt'>;

/** A posting but for what is the same for all of a notification. */
type ChannelPosting = Pick<Posting, 'target' | 'ownerId' | 'address' | 'content'> & Fate;

interface NotificationToSend {
  readonly notification: StoredNotification;
  readonly wanted: Wanted;
  readonly person: Person;
  readonly message: EnvelopeMessage;
  readonly news: News & { readonly notificationId: number };
}

const NOTHING = { text: '', type: 'text/plain' };
const nowhere = (state: 'suppressed' | 'dead', reason: string): ChannelPosting => ({
  target: null,
  ownerId: null,
  address: null,
  content: NOTHING,
  state,
  reason,
});

/** Every channel of every notification, sent or not: what is not sent says why. */
export async function notificationPostings(
  tx: Kysely<Tables>,
  house: SendingPolicy,
  outgoing: readonly ToSend[],
  subjects: Subjects,
  now: number,
): Promise<Posting[]> {
  const notifications = outgoing.flatMap((one) => one.notifications ?? []);
  if (notifications.length === 0) return [];
  const triggers = await readWanted(tx, notifications);
  const asking = notifications.flatMap((notification) => {
    const wanted = triggers.get(notification.triggerId);
    return wanted && channelsOf(wanted).length > 0 ? [{ notification, wanted }] : [];
  });
  if (asking.length === 0) return [];
  const people = await People.read(tx, [...new Set(asking.map(({ notification }) => notification.userId))], now);
  const scene: NotifyContext = { house, people, mayUse: queuesAsked(tx, now), now };
  const postings: Posting[] = [];
  for (const { notification, wanted } of asking) {
    const person = people.get(notification.userId);
    if (person === undefined) continue;
    const announced = { notification, wanted, person, ...contentsOf(notification, subjects) };
    const { id: notificationId, userId, deviceId } = notification;
    for (const kind of channelsOf(wanted)) {
      for (const way of await postingsOf(kind, announced, scene))
        postings.push({ kind, userId, deviceId, what: 'notification', notificationId, ...way });
    }
  }
  return postings;
}

async function readWanted(
  tx: Kysely<Tables>,
  notifications: readonly StoredNotification[],
): Promise<Map<number, Wanted>> {
  const ids = [...new Set(notifications.map(({ triggerId }) => triggerId))];
  const rows = await tx
    .selectFrom('notificationTriggers')
    .select(['id', 'delivery', 'parameters'])
    .where('id', 'in', ids)
    .execute();
  const read = (text: string | null) => (text ? JSON.parse(text) : {}) as Record<string, unknown>;
  return new Map(rows.map((row) => [row.id, { delivery: read(row.delivery), parameters: read(row.parameters) }]));
}

function contentsOf(
  notification: StoredNotification,
  subjects: Subjects,
): Pick<NotificationToSend, 'message' | 'news'> {
  const { name: deviceName, ...device } = subjects.device(notification.deviceId);
  const { message: sentence } = JSON.parse(notification.params) as { message: string };
  const { id: notificationId, deviceId, timestamp: at, late } = notification;
  return {
    message: { notification: presentNotification(notification), ...subjects.of(notification), device },
    news: { sentence, deviceId, deviceName, at, isLate: late !== 0, notificationId },
  };
}

interface NotifyContext {
  readonly house: SendingPolicy;
  readonly people: People;
  /** As `holdQueue` does, but asked once for each queue and user. */
  readonly mayUse: (arn: string, person: Person) => Promise<string | undefined>;
  readonly now: number;
}

function queuesAsked(tx: Kysely<Tables>, now: number): NotifyContext['mayUse'] {
  const known = new Map<string, string | undefined>();
  return async (arn, { id: userId, isAdmin }) => {
    const key = `${userId} ${arn}`;
    if (!known.has(key)) known.set(key, await holdQueue(tx, arn, { userId, isAdmin }, now));
    return known.get(key);
  };
}

async function postingsOf(
  kind: Channel,
  announced: NotificationToSend,
  scene: NotifyContext,
): Promise<ChannelPosting[]> {
  const { notification, wanted, person, message, news } = announced;
  const { userId, deviceId } = notification;
  const reader = { timeZone: person.timeZone ?? 'UTC', publicUrl: scene.house.publicUrl };
  if (notification.status !== 'valid') return [nowhere('suppressed', notification.reason ?? 'muted')];
  switch (kind) {
    case 'push': {
      const subscriptions = scene.people.subscriptionsOf(userId);
      if (subscriptions.length === 0) return [nowhere('suppressed', 'no browser is subscribed')];
      const fate = fateOf('push', announced, scene);
      const content = pushOf(news, reader);
      return subscriptions.map(({ endpoint, keys }) => ({
        target: endpoint,
        ownerId: userId,
        address: JSON.stringify({ endpoint, keys }),
        content,
        ...fate,
      }));
    }
    case 'email': {
      const address = mailAddressOf(wanted) ?? person.email;
      if (!isMailAddress(address)) return [nowhere('dead', 'parameters.email is not an e-mail address')];
      const fate = fateOf('email', announced, scene);
      return [{ ...MAIL_SERVER, address, content: mailOf(news, reader), ...fate }];
    }
    case 'http': {
      const target = endpointOf(wanted);
      if (target === undefined) return [nowhere('dead', 'the trigger has no address for it: set parameters.endpoint')];
      return [{ target, ownerId: userId, address: null, content: contentFor('http', message, scene) }];
    }
    case 'sqs': {
      const target = queueOf(wanted);
      if (target === undefined) return [nowhere('dead', 'the trigger has no queue for it: set parameters.sqsArn')];
      const refused = isQueueArn(target) ? await scene.mayUse(target, person) : 'is not the ARN of a queue';
      if (refused) return [nowhere('dead', `${target} ${refused}`)];
      return [{ target, ownerId: userId, address: null, content: contentFor('sqs', message, scene) }];
    }
    case 'mqtt': {
      const address = `${topicOf(userId, deviceId)}/notifications`;
      return [{ ...BROKER, address, content: contentFor('mqtt', message, scene) }];
    }
  }
}

/** Whether a person is told, and when: old news never, at night in the morning, in a storm at the end of the minute. */
function fateOf(channel: 'push' | 'email', { notification, person }: NotificationToSend, scene: NotifyContext): Fate {
  const { house, people, now } = scene;
  if (notification.people === 0) return { state: 'suppressed', reason: oldNews(house.oldNewsMs) };
  const { type } = JSON.parse(notification.params) as { type: string };
  const quiet = isUrgent(type) ? undefined : quietUntil(person.quietHours, person.timeZone, now);
  if (quiet !== undefined) {
    const reason = `quiet hours: it comes with the others at ${wallText(person.timeZone ?? 'UTC', quiet)}`;
    return { state: 'held', reason, nextAt: quiet };
  }
  const storm = stormUntil(people.sentLately(person.id, channel), now);
  if (storm !== undefined) {
    return { state: 'held', reason: 'many at once: it comes with the others at the end of the minute', nextAt: storm };
  }
  people.noteSent(person.id, channel);
  return {};
}

const oldNews = (ms: number) =>
  `old news: it had happened more than ${ms % 60_000 === 0 ? `${ms / 60_000} minutes` : `${ms / 1000} seconds`} before it was known, so only machines are told`;
