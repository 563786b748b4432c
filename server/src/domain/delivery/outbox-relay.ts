import { randomUUID } from 'node:crypto';
import { type Channel, PEOPLE_CHANNELS, specOf } from '@trackway/contract/channels.ts';
import { type Because, because } from '../../platform/because.ts';
import type { Content } from '../../platform/outbox/channel.ts';
import { type Posting, post } from '../../platform/outbox/post.ts';
import { insertOf, runRows } from '../../platform/storage/bulk.ts';
import { dialectOf } from '../../platform/storage/dialect.ts';
import { relayDevice, type StagedRow, type Staging } from '../../platform/storage/relay.ts';
import type { Tx } from '../schema/tables.ts';
import { BURST_MS, burstUntil, readPeople, sentSince } from './people.ts';
import { holdQueue } from './queue-holders.ts';
import { askRecipient, type RecipientToAsk } from './recipients.ts';

/** A posting with everything that is decided when it is caused. */
interface StagedPosting extends Posting {
  readonly deviceId: number;
  readonly messageId: string;
  readonly content: Content;
}

/** What a posting becomes in the light of what is known now. */
type Reviewed = (posting: StagedPosting) => StagedPosting;

/**
 * Staged postings in the form for the outbox, without postings of deleted users and devices. A transaction that removed
 * a forwarder, a browser or an address meanwhile cancelled only rows of the outbox, not staged ones, so this is checked
 * here. Rights are checked later by the guard, before each sending. A retracted notification is in the outbox already
 * (`correct-notifications.ts`).
 */
async function dropCancelled(tx: Tx, staged: readonly StagedPosting[], now: number): Promise<Posting[]> {
  const isThere = await existing(tx, staged);
  const left = staged.filter(isThere);
  const reviews = [
    await withoutForwarder(tx, left),
    await withoutBrowser(tx, left),
    await withRefusals(tx, left),
    await withBursts(tx, left, now),
  ];
  return left.map((posting) => reviews.reduce((reviewed, review) => review(reviewed), posting));
}

const isWaiting = ({ state = 'queued' }: Posting) => state === 'queued' || state === 'held';
const suppressed = (posting: StagedPosting, why: Because): StagedPosting =>
  isWaiting(posting) ? { ...posting, state: 'suppressed', ...why } : posting;
const unchanged: Reviewed = (posting) => posting;
const distinct = <T>(all: readonly (T | null | undefined)[]) => [...new Set(all)].filter((one) => one != null);

async function existing(tx: Tx, staged: readonly StagedPosting[]): Promise<(posting: StagedPosting) => boolean> {
  const deviceIds = distinct(staged.flatMap(({ deviceId, otherDeviceId }) => [deviceId, otherDeviceId]));
  const userIds = distinct(staged.map(({ userId }) => userId));
  const devices = await tx.selectFrom('devices').select('id').where('id', 'in', deviceIds).execute();
  const users = await tx.selectFrom('users').select('id').where('id', 'in', userIds).execute();
  const [deviceThere, userThere] = [devices, users].map((rows) => new Set(rows.map(({ id }) => id)));
  return ({ userId, deviceId, otherDeviceId }) =>
    userThere!.has(userId) &&
    deviceThere!.has(deviceId) &&
    (otherDeviceId === undefined || deviceThere!.has(otherDeviceId));
}

async function withoutForwarder(tx: Tx, staged: readonly StagedPosting[]): Promise<Reviewed> {
  const forwarded = staged.filter(({ forwarderId }) => forwarderId !== undefined);
  if (forwarded.length === 0) return unchanged;
  const rows = await tx
    .selectFrom('forwarders')
    .select('id')
    .where('deviceId', 'in', distinct(forwarded.map(({ deviceId }) => deviceId)))
    .where('id', 'in', distinct(forwarded.map(({ forwarderId }) => forwarderId)))
    .execute();
  const there = new Set(rows.map(({ id }) => id));
  return (posting) =>
    posting.forwarderId === undefined || there.has(posting.forwarderId)
      ? posting
      : suppressed(posting, because('forwarderRemoved'));
}

/** The currently stored keys of a browser are used: they may have been encrypted again. */
async function withoutBrowser(tx: Tx, staged: readonly StagedPosting[]): Promise<Reviewed> {
  const endpoints = distinct(staged.map(({ kind, target }) => (kind === 'push' ? target : null)));
  if (endpoints.length === 0) return unchanged;
  const rows = await tx
    .selectFrom('pushSubscriptions')
    .select(['userId', 'endpoint', 'keys'])
    .where('endpoint', 'in', endpoints)
    .execute();
  const keysOf = new Map(rows.map(({ userId, endpoint, keys }) => [`${userId} ${endpoint}`, keys]));
  return (posting) => {
    if (posting.kind !== 'push' || posting.target === null) return posting;
    const keys = keysOf.get(`${posting.userId} ${posting.target}`);
    if (keys === undefined) return suppressed(posting, because('browserUnsubscribed'));
    return { ...posting, address: JSON.stringify({ endpoint: posting.target, keys: JSON.parse(keys) }) };
  };
}

async function withRefusals(tx: Tx, staged: readonly StagedPosting[]): Promise<Reviewed> {
  const mailed = ({ kind, address }: Posting) => (kind === 'email' && address !== null ? address.toLowerCase() : null);
  const addresses = distinct(staged.map(mailed));
  if (addresses.length === 0) return unchanged;
  const rows = await tx.selectFrom('mailRefusals').select('address').where('address', 'in', addresses).execute();
  const refused = new Set(rows.map(({ address }) => address));
  return (posting) =>
    refused.has(mailed(posting) ?? '')
      ? suppressed(posting, because('mailUnwanted', { address: mailed(posting)! }))
      : posting;
}

/** Transactions that staged at the same time did not count what the others sent. */
async function withBursts(tx: Tx, staged: readonly StagedPosting[], now: number): Promise<Reviewed> {
  const isNotified = ({ kind, forwarderId, state = 'queued' }: Posting) =>
    state === 'queued' && forwarderId === undefined && (PEOPLE_CHANNELS as readonly string[]).includes(kind);
  const userIds = distinct(staged.filter(isNotified).map(({ userId }) => userId));
  if (userIds.length === 0) return unchanged;
  const counted = await sentSince(tx, userIds, now - BURST_MS).execute();
  const sent = new Map(counted.map((row) => [`${row.userId} ${row.channel}`, Number(row.sent)]));
  // One notification is one message, to however many browsers.
  const waitsUntil = new Map<string, number | undefined>();
  return (posting) => {
    if (!isNotified(posting)) return posting;
    const to = `${posting.userId} ${posting.kind}`;
    const reported = `${to} ${posting.notificationId}`;
    if (!waitsUntil.has(reported)) {
      const before = sent.get(to) ?? 0;
      waitsUntil.set(reported, burstUntil(before, now));
      if (waitsUntil.get(reported) === undefined) sent.set(to, before + 1);
    }
    const nextAt = waitsUntil.get(reported);
    return nextAt === undefined ? posting : { ...posting, state: 'held', ...because('burst'), nextAt };
  };
}

export const INSERT = insertOf(
  'outboxRelay',
  {
    deviceId: 'integer',
    userId: 'integer',
    posting: 'text',
    created: 'time',
  },
  'deviceId',
);

/** Postings that were staged in the shard of their devices. */
export const STAGED_POSTINGS: Staging<StagedRow & { readonly posting: string }> = {
  table: 'outboxRelay',
  async write(on, rows, now) {
    const tx = on as Tx;
    const staged: StagedPosting[] = [];
    for (const { posting, created } of rows) {
      const one = JSON.parse(posting) as StagedPosting | { readonly ask: RecipientToAsk };
      if ('ask' in one) await askRecipient(tx, one.ask, now);
      else staged.push({ ...one, created });
    }
    const postings = staged.length === 0 ? [] : await dropCancelled(tx, staged, now);
    await claimQueues(tx, postings, now);
    await post(tx, postings, now);
    return staged.length - postings.length;
  },
};

/**
 * Stores postings of devices in the transaction that causes them; in a distributed database, in the shard of the
 * device.
 */
export async function postOfDevices(
  tx: Tx,
  postings: readonly Posting[],
  now: number,
  later?: ToAskLater,
): Promise<void> {
  if (dialectOf(tx).isDistributed) await stage(tx, postings, now, later);
  else await post(tx, postings, now);
}

/** Addresses that are asked when the messages are relayed, in the order of what one of the devices staged. */
interface ToAskLater {
  readonly deviceId: number;
  readonly toAsk: readonly RecipientToAsk[];
}

/** The first user who sends to a queue holds it. */
async function claimQueues(tx: Tx, postings: readonly Posting[], now: number): Promise<void> {
  const sent = postings.filter(({ kind, target }) => target !== null && specOf(kind as Channel).isHeld);
  if (sent.length === 0) return;
  const people = await readPeople(tx, [...new Set(sent.map(({ userId }) => userId))]);
  for (const [target, userId] of new Map(sent.toReversed().map((posting) => [posting.target!, posting.userId])))
    await holdQueue(tx, target, { userId, isAdmin: people.get(userId)?.isAdmin ?? false }, now);
}

/** Lets the transaction see all postings of a device in the outbox. */
export async function flushPostings(tx: Tx, deviceId: number, now: number): Promise<void> {
  if (dialectOf(tx).isDistributed) await relayDevice(tx, STAGED_POSTINGS, deviceId, now);
}

async function stage(tx: Tx, postings: readonly Posting[], now: number, later?: ToAskLater): Promise<void> {
  const rows = postings.map((posting) => {
    const { deviceId, userId } = posting;
    if (deviceId === null) throw new Error('Only a posting about a device can be staged');
    return [deviceId, userId, JSON.stringify(decided(posting, deviceId)), now];
  });
  for (const ask of later?.toAsk ?? []) rows.push([later!.deviceId, ask.userId, JSON.stringify({ ask }), now]);
  await runRows(tx, INSERT, rows);
}

function decided(posting: Posting, deviceId: number): StagedPosting {
  const { content, messageId = randomUUID() } = posting;
  return { ...posting, deviceId, messageId, content: typeof content === 'function' ? content(messageId) : content };
}
