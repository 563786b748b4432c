import { type Channel, type MachineChannel, type PeopleForm, specOf } from '@trackway/contract/channels.ts';
import { type Because, because } from '../../platform/because.ts';
import type { Content } from '../../platform/outbox/channel.ts';
import type { Posting } from '../../platform/outbox/post.ts';
import { wallText } from '../../platform/times.ts';
import type { Tx } from '../schema/tables.ts';
import { quietUntil } from '../users/quiet-hours.ts';
import { mailOf, type News, type NotificationTexts, pushOf, type Recipient, sentenceFor } from './letters.ts';
import {
  type Addressee,
  addresseesOf,
  burstUntil,
  type NoAddressee,
  type NotificationFor,
  People,
  type Person,
  recipientOf,
} from './people.ts';
import {
  type EnvelopeMessage,
  machineContent,
  otherDeviceOf,
  type StoredNotification,
  sentNotification,
} from './presented.ts';
import { holdQueue } from './queue-holders.ts';
import { isOwnAddress, type RecipientToAsk, whyNotMailed } from './recipients.ts';
import { isUrgent, type SendingPolicy } from './sending-policy.ts';
import type { Subjects, ToSend } from './subjects.ts';
import { channelsOf, type Wanted } from './targets.ts';

/** Whether and when a posting is sent. */
type Fate = Pick<Posting, 'state' | 'reason' | 'reasonDetails' | 'nextAt'>;

/** A posting without what all postings of a notification share. */
type ChannelPosting = Addressee & Pick<Posting, 'content'> & Fate;

type NotificationNews = News & Pick<StoredNotification, 'severity'> & { readonly notificationId: number };

interface NotificationToSend {
  readonly notification: StoredNotification;
  readonly wanted: Wanted;
  readonly person: Person;
  readonly message: EnvelopeMessage;
  readonly news: NotificationNews;
}

/** What people read, by the form of the channel. */
const FOR_PEOPLE: Readonly<Record<PeopleForm, (news: NotificationNews, reader: Recipient) => Content>> = {
  text: mailOf,
  screen: pushOf,
};

const NOTHING = { text: '', type: 'text/plain' };
const notSent = (why: NoAddressee): ChannelPosting => ({
  target: null,
  ownerId: null,
  address: null,
  content: NOTHING,
  ...why,
});

/**
 * Every channel of every notification, sent or not, with the reason if it is not sent.
 */
export async function notificationPostings(
  tx: Tx,
  policy: SendingPolicy,
  outgoing: readonly ToSend[],
  subjects: Subjects,
  now: number,
  { escalated, askLater }: NotifyOptions = {},
): Promise<Posting[]> {
  const notifications = outgoing.flatMap((one) => one.notifications ?? []);
  if (notifications.length === 0) return [];
  const triggers = escalated ?? (await readWanted(tx, notifications));
  const asking = notifications.flatMap((notification) => {
    const wanted = triggers.get(notification.triggerId);
    return wanted && channelsOf(wanted).length > 0 ? [{ notification, wanted }] : [];
  });
  if (asking.length === 0) return [];
  const people = await People.read(tx, [...new Set(asking.map(({ notification }) => notification.userId))], now);
  const asked = {
    mayUse: queuesAsked(tx, now, askLater === undefined),
    whyNotMailed: recipientsAsked(tx, policy, now, askLater),
  };
  const context: NotifyContext = { policy, people, ...asked, now, isEscalated: escalated !== undefined };
  const postings: Posting[] = [];
  for (const { notification, wanted } of asking) {
    const person = people.get(notification.userId);
    if (person === undefined) continue;
    const announced = { notification, wanted, person, ...contentsOf(notification, person, subjects) };
    const { id: notificationId, userId, deviceId } = notification;
    const otherDeviceId = otherDeviceOf(notification);
    for (const kind of channelsOf(wanted)) {
      for (const posting of await postingsOf(kind, announced, context))
        postings.push({ kind, userId, deviceId, otherDeviceId, what: 'notification', notificationId, ...posting });
    }
  }
  return postings;
}

interface NotifyOptions {
  /** By trigger, what an escalation is sent by; undefined for news. */
  readonly escalated?: ReadonlyMap<number, Wanted>;
  /** Called where an address has yet to be asked: then nothing is written here, since the messages are relayed. */
  readonly askLater?: (recipient: RecipientToAsk) => void;
}

async function readWanted(tx: Tx, notifications: readonly StoredNotification[]): Promise<Map<number, Wanted>> {
  const ids = [...new Set(notifications.map(({ triggerId }) => triggerId))];
  const deviceIds = [...new Set(notifications.map(({ deviceId }) => deviceId))];
  const rows = await tx
    .selectFrom('notificationTriggers')
    .select(['id', 'delivery', 'parameters'])
    .where('deviceId', 'in', deviceIds)
    .where('id', 'in', ids)
    .execute();
  const read = (text: string | null) => (text ? JSON.parse(text) : {}) as Record<string, unknown>;
  return new Map(rows.map((row) => [row.id, { delivery: read(row.delivery), parameters: read(row.parameters) }]));
}

function contentsOf(
  notification: StoredNotification,
  { speech }: Person,
  subjects: Subjects,
): Pick<NotificationToSend, 'message' | 'news'> {
  const { name: deviceName, ...device } = subjects.device(notification.deviceId);
  const params = JSON.parse(notification.params) as NotificationTexts;
  const sentence = sentenceFor(speech, deviceName, params);
  const { zones, name } = params;
  const { id: notificationId, deviceId, timestamp: at, late, severity } = notification;
  return {
    message: { notification: sentNotification(notification), ...subjects.of(notification), device },
    news: { sentence, deviceId, deviceName, at, isLate: late !== 0, notificationId, severity, names: [...zones, name] },
  };
}

interface NotifyContext {
  readonly policy: SendingPolicy;
  readonly people: People;
  /** `holdQueue`, asked once for each address and user. */
  readonly mayUse: NotificationFor['mayUse'];
  readonly whyNotMailed: NotificationFor['whyNotMailed'];
  readonly now: number;
  /** A notification that was not acknowledged in time does not wait for the end of quiet hours. */
  readonly isEscalated: boolean;
}

/** Asked once for each address and user; what is written here is counted with the next transaction. */
export function recipientsAsked(
  tx: Tx,
  policy: SendingPolicy,
  now: number,
  askLater?: NotifyOptions['askLater'],
): NotifyContext['whyNotMailed'] {
  const known = new Map<string, Because | undefined>();
  return async (address, person) => {
    if (isOwnAddress(person, address)) return undefined;
    const key = `${person.id} ${address}`;
    if (!known.has(key)) known.set(key, await whyNotMailed(tx, policy, person, address, now, askLater));
    return known.get(key);
  };
}

export function queuesAsked(tx: Tx, now: number, mayClaim = true): NotifyContext['mayUse'] {
  const known = new Map<string, string | undefined>();
  return async (arn, { id: userId, isAdmin }) => {
    const key = `${userId} ${arn}`;
    if (!known.has(key)) known.set(key, await holdQueue(tx, arn, { userId, isAdmin }, now, mayClaim));
    return known.get(key);
  };
}

async function postingsOf(
  channel: Channel,
  announced: NotificationToSend,
  context: NotifyContext,
): Promise<ChannelPosting[]> {
  const { notification, wanted, person, message, news } = announced;
  if (notification.status !== 'valid') return [notSent({ state: 'suppressed', ...because('muted') })];
  const { people, policy, mayUse, whyNotMailed, now } = context;
  const subscriptions = people.subscriptionsOf(person.id);
  const about = { person, subscriptions, deviceId: notification.deviceId, wanted, mayUse, whyNotMailed };
  const addressees = await addresseesOf(channel, about);
  if ('reason' in addressees) return [notSent(addressees)];
  const spec = specOf(channel);
  if (spec.for === 'machines') {
    const content = machineContent(channel as MachineChannel, message, { isRaw: wanted.delivery.raw === true, now });
    return addressees.map((addressee) => ({ ...addressee, content }));
  }
  const reader = recipientOf(person, policy);
  const content = FOR_PEOPLE[spec.form](news, reader);
  const delay = delayOf(channel, announced, context);
  return addressees.map((addressee) => ({ ...addressee, content, ...delay }));
}

/** Old news is not sent to people; what happens in quiet hours or in a burst waits for their end. */
function delayOf(channel: Channel, { notification, person }: NotificationToSend, context: NotifyContext): Fate {
  const { policy, people, now, isEscalated } = context;
  if (isEscalated) return {};
  if (notification.isForPeople === 0) return { state: 'suppressed', reason: oldNews(policy.oldNewsMs) };
  const { type } = JSON.parse(notification.params) as { type: string };
  const quiet = isUrgent(type) ? undefined : quietUntil(person.quietHours, person.timeZone, now);
  if (quiet !== undefined) {
    const time = wallText(person.timeZone ?? 'UTC', quiet);
    return { state: 'held', ...because('quietHours', { time }), nextAt: quiet };
  }
  const burst = burstUntil(people.sentLately(person.id, channel), now);
  if (burst !== undefined) {
    return { state: 'held', ...because('burst'), nextAt: burst };
  }
  people.noteSent(person.id, channel);
  return {};
}

const oldNews = (ms: number) =>
  `Too late for people: it was reported more than ${ms % 60_000 === 0 ? `${ms / 60_000} minutes` : `${ms / 1000} seconds`} after it happened, so it was sent only to machines`;
