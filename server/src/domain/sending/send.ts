import type { Kysely } from 'kysely';
import type { Posting } from '../../platform/outbox/post.ts';
import type { Tables } from '../schema/tables.ts';
import { readSubjects } from './envelopes/subjects.ts';
import { forward } from './forwarders/forward.ts';
import { livingListeners, readForwardersAndListeners } from './listeners/listeners.ts';
import { type PostingStore, postOfDevices } from './outgoing/stage.ts';
import { notificationPostings } from './people/notify.ts';
import { retractionPostings } from './retract.ts';
import type { SendingPolicy } from './sending-policy.ts';
import type { ToSend } from './to-send.ts';

/** Whether there is anything to do, so that devices of which nothing is sent cost nothing. */
export const isAnythingToSend = ({ forwarders, notifications = [], retracted = [] }: Omit<ToSend, 'deviceId'>) =>
  forwarders.length > 0 || notifications.length > 0 || retracted.length > 0;

/** Records everything that must be sent, in the transaction that caused it. */
export async function send(
  tx: Kysely<Tables>,
  store: PostingStore,
  policy: SendingPolicy,
  all: readonly ToSend[],
  now: number,
): Promise<void> {
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
  postings.push(...(await notificationPostings(tx, store.storeKind, policy, outgoing, subjects, now)));
  postings.push(...(await retractionPostings(tx, store, outgoing, subjects, now)));
  await postOfDevices(tx, store, postings, now);
}

/** Forwards what a person stored, as if the device had reported it. */
export async function sendStored(
  tx: Kysely<Tables>,
  store: PostingStore,
  stored: Pick<ToSend, 'deviceId' | 'points' | 'readings'>,
  now: number,
): Promise<void> {
  const outgoing = { ...stored, forwarders: await readForwardersAndListeners(tx, stored.deviceId, now) };
  if (outgoing.forwarders.length === 0) return;
  const living = await livingListeners(tx, outgoing.forwarders, now);
  await postOfDevices(tx, store, forward(outgoing, await readSubjects(tx, [outgoing], now), living, now), now);
}
