import { PEOPLE_CHANNELS } from '@trackway/contract/channels.ts';
import type { Kysely } from 'kysely';
import type { Posting } from '../../../platform/outbox/post.ts';
import type { Tables } from '../../schema/tables.ts';
import { sentSince } from '../people/people.ts';
import { STORM_MS, STORM_REASON, stormUntil } from '../people/storm.ts';
import type { StagedPosting } from './stage.ts';

type Tx = Kysely<Tables>;

/** What a posting becomes in the light of what is known now. */
type Reviewed = (posting: StagedPosting) => StagedPosting;

/**
 * Staged postings as they are posted, without those of users and devices that are gone. Whoever ended something between
 * (a forwarder, a browser, mail to an address) cancelled what was in the outbox and did not see what was staged, so it is
 * asked here. Rights are asked for later, by the guard, whenever something is about to be sent; and a notification that is
 * retracted is carried before (`retract.ts`).
 */
export async function stillWanted(tx: Tx, staged: readonly StagedPosting[], now: number): Promise<Posting[]> {
  const isThere = await existing(tx, staged);
  const left = staged.filter(isThere);
  const reviews = [
    await withoutForwarder(tx, left),
    await withoutBrowser(tx, left),
    await withRefusals(tx, left),
    await withStorms(tx, left, now),
  ];
  return left.map((posting) => reviews.reduce((reviewed, review) => review(reviewed), posting));
}

const isWaiting = ({ state = 'queued' }: Posting) => state === 'queued' || state === 'held';
const suppressed = (posting: StagedPosting, reason: string): StagedPosting =>
  isWaiting(posting) ? { ...posting, state: 'suppressed', reason } : posting;
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
      : suppressed(posting, 'The forwarder was removed');
}

/** The keys of a browser are those that are stored now: they may have been encrypted anew. */
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
    if (keys === undefined) return suppressed(posting, 'The browser was unsubscribed');
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
      ? suppressed(posting, `${mailed(posting)} does not want mail from this server`)
      : posting;
}

/** Transactions that staged at the same time did not count what the others sent. */
async function withStorms(tx: Tx, staged: readonly StagedPosting[], now: number): Promise<Reviewed> {
  const isTold = ({ kind, forwarderId, state = 'queued' }: Posting) =>
    state === 'queued' && forwarderId === undefined && (PEOPLE_CHANNELS as readonly string[]).includes(kind);
  const userIds = distinct(staged.filter(isTold).map(({ userId }) => userId));
  if (userIds.length === 0) return unchanged;
  const counted = await sentSince(tx, userIds, now - STORM_MS).execute();
  const sent = new Map(counted.map((row) => [`${row.userId} ${row.channel}`, Number(row.sent)]));
  // One notification is one message, to however many browsers.
  const waitsUntil = new Map<string, number | undefined>();
  return (posting) => {
    if (!isTold(posting)) return posting;
    const to = `${posting.userId} ${posting.kind}`;
    const told = `${to} ${posting.notificationId}`;
    if (!waitsUntil.has(told)) {
      const before = sent.get(to) ?? 0;
      waitsUntil.set(told, stormUntil(before, now));
      if (waitsUntil.get(told) === undefined) sent.set(to, before + 1);
    }
    const nextAt = waitsUntil.get(told);
    return nextAt === undefined ? posting : { ...posting, state: 'held', reason: STORM_REASON, nextAt };
  };
}
