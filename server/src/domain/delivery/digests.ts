import { type Channel, type PeopleForm, specOf } from '@trackway/contract/channels.ts';
import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { sql } from 'kysely';
import { because, NO_REASON } from '../../platform/because.ts';
import type { Content } from '../../platform/outbox/channel.ts';
import { post } from '../../platform/outbox/post.ts';
import { getRow } from '../rows.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices, type Ownership } from '../schema/owned-devices.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { quietUntil } from '../users/quiet-hours.ts';
import type { Speech } from '../users/speech.ts';
import { mailOfMany, type News, type NotificationTexts, pushOfMany, type Recipient, sentenceFor } from './letters.ts';
import { readPeople, recipientOf } from './people.ts';
import { barredAmong, cancelEnded } from './send-guard.ts';
import { isUrgent, type SendingPolicy } from './sending-policy.ts';

/** Sends what was held for a person as one message, once quiet hours or a burst are over. */

/** What is held for one person on one channel. */
interface Bundle {
  readonly userId: number;
  readonly channel: Channel;
  readonly destinationId: number;
  readonly address: string | null;
}

const AT_ONCE = 200;
const MOST_HELD = 5000;
const CHUNK = 500;
/** Spelled as the index on it is. */
const isHeld = sql<boolean>`"state" = 'held'`;

export const dueBundles = (on: Tx, now: number, ownership?: Ownership) =>
  on
    .selectFrom('outbox')
    .select(['userId', 'channel', 'destinationId', 'address'])
    .distinct()
    .where(isHeld)
    .where('nextAt', '<=', now)
    .where(isOwned('userId', ownership))
    .limit(AT_ONCE);

export const heldIn = (on: Tx, { userId, channel, destinationId, address }: Bundle, now: number) =>
  on
    .selectFrom('outbox')
    .select(['id', 'notificationId'])
    .where(isHeld)
    .where('userId', '=', userId)
    .where('channel', '=', channel)
    .where('destinationId', '=', destinationId)
    .where('address', address === null ? 'is' : '=', address)
    .where('nextAt', '<=', now)
    // As the index has them; by the id alone, PostgreSQL might walk through everything of the user.
    .orderBy('nextAt')
    .orderBy('id')
    .limit(MOST_HELD);

/**
 * Answers whether there is anything to send now.
 * @param owned which users, by their ids
 */
export async function sendDigests(
  store: Store,
  policy: SendingPolicy,
  now: number,
  owned: OwnedDevices = ALL_DEVICES,
): Promise<boolean> {
  const due = (await dueBundles(store.query, now, owned.now()).execute()) as Bundle[];
  let isAny = false;
  for (const bundle of due) {
    if (!owned.has(bundle.userId)) continue;
    const isSent = await store.transaction((tx) => sendBundle(tx, policy, bundle, now));
    isAny ||= isSent;
  }
  return isAny;
}

async function sendBundle(tx: Tx, policy: SendingPolicy, bundle: Bundle, now: number): Promise<boolean> {
  const { userId, channel, destinationId, address } = bundle;
  // Of two processes the second waits here, and then finds nothing held any more.
  const found = await heldIn(tx, bundle, now).forUpdate().execute();
  const barred = await barredAmong(tx, idsOf(found));
  const ended = found.filter(({ id }) => barred.has(id));
  for (let start = 0; start < ended.length; start += CHUNK)
    await cancelEnded(tx, idsOf(ended.slice(start, start + CHUNK)), now);
  let rows = found.filter(({ id }) => !barred.has(id));
  const person = (await readPeople(tx, [userId])).get(userId);
  if (person === undefined) return false;
  // The hours may have been changed, or have begun, while it was held. What is urgent waited for the end of a burst.
  const quiet = quietUntil(person.quietHours, person.timeZone, now);
  if (quiet !== undefined) {
    const urgent = await urgentAmong(tx, notificationsOf(rows));
    const isUrgentRow = ({ notificationId }: HeldRow) => urgent.has(notificationId ?? 0);
    await change(tx, idsOf(rows.filter((row) => !isUrgentRow(row))), { nextAt: quiet });
    rows = rows.filter(isUrgentRow);
  }
  if (rows.length === 0) return false;
  const set = (values: Parameters<typeof change>[2]) => change(tx, idsOf(rows), values);
  if (rows.length === 1) {
    await set({ state: 'queued', ...NO_REASON, nextAt: now });
    return true;
  }
  const all = await readNews(tx, person.speech, notificationsOf(rows));
  if (all.length === 0) {
    await set({ state: 'cancelled', ...because('notificationsDeleted'), ended: now });
    return false;
  }
  const destination = await getRow(tx, 'destinations', { id: destinationId }, ['target', 'userId']);
  const content = contentOf(channel, all, recipientOf(person, policy));
  const [digestId] = await post(
    tx,
    [
      {
        kind: channel,
        target: destination.target,
        ownerId: destination.userId,
        userId,
        deviceId: null,
        address,
        what: 'digest',
        content,
      },
    ],
    now,
  );
  await set({
    state: 'suppressed',
    digestId: digestId!,
    ...because('inDigest', { id: digestId }),
    ended: now,
  });
  return true;
}

interface HeldRow {
  readonly id: number;
  readonly notificationId: number | null;
}

const idsOf = (rows: readonly HeldRow[]) => rows.map(({ id }) => id);
const notificationsOf = (rows: readonly HeldRow[]) => rows.flatMap(({ notificationId }) => notificationId ?? []);

/** What people read of many notifications, by the form of the channel. */
const FOR_PEOPLE: Readonly<Record<PeopleForm, (all: readonly News[], reader: Recipient) => Content>> = {
  text: mailOfMany,
  screen: pushOfMany,
};

function contentOf(channel: Channel, all: readonly News[], reader: Recipient): Content {
  const spec = specOf(channel);
  if (spec.for !== 'people') throw new Error(`Notifications by ${channel} cannot be held`);
  return FOR_PEOPLE[spec.form](all, reader);
}

async function change(
  tx: Tx,
  ids: readonly number[],
  values: {
    state?: 'queued' | 'cancelled' | 'suppressed';
    reason?: string | null;
    reasonDetails?: string | null;
    nextAt?: number;
    digestId?: number;
    ended?: number;
  },
): Promise<void> {
  for (let start = 0; start < ids.length; start += CHUNK)
    await tx
      .updateTable('outbox')
      .set(values)
      .where('id', 'in', ids.slice(start, start + CHUNK))
      .execute();
}

/** In the order of the events. */
async function readNews(tx: Tx, speech: Speech, notificationIds: readonly number[]): Promise<News[]> {
  const news: News[] = [];
  for (let start = 0; start < notificationIds.length; start += CHUNK) {
    const rows = await tx
      .selectFrom('notifications as n')
      .innerJoin('devices as d', 'd.id', 'n.deviceId')
      .select(['n.params', 'n.deviceId', 'n.timestamp', 'n.late', 'd.name'])
      .where('n.id', 'in', notificationIds.slice(start, start + CHUNK))
      .orderBy('n.id')
      .execute();
    for (const { params, deviceId, timestamp: at, late, name } of rows) {
      const deviceName = name ?? messagesIn(speech.language).letters.unnamedDevice({ id: deviceId });
      const sentence = sentenceFor(speech, deviceName, JSON.parse(params) as NotificationTexts);
      news.push({ sentence, deviceId, deviceName, at, isLate: late !== 0 });
    }
  }
  return news.sort((a, b) => a.at - b.at);
}

async function urgentAmong(tx: Tx, notificationIds: readonly number[]): Promise<Set<number>> {
  const urgent = new Set<number>();
  for (let start = 0; start < notificationIds.length; start += CHUNK) {
    const rows = await tx
      .selectFrom('notifications')
      .select(['id', 'params'])
      .where('id', 'in', notificationIds.slice(start, start + CHUNK))
      .execute();
    for (const { id, params } of rows) if (isUrgent((JSON.parse(params) as { type: string }).type)) urgent.add(id);
  }
  return urgent;
}

/** A user's quiet hours changed: what is held for them is looked at again at once. */
export async function reconsiderHeld(tx: Tx, userId: number, now: number): Promise<void> {
  await tx.updateTable('outbox').set({ nextAt: now }).where(isHeld).where('userId', '=', userId).execute();
}
