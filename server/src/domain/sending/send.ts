import type { Kysely } from 'kysely';
import { type Posting, post } from '../../platform/outbox/post.ts';
import type { Engine } from '../../platform/storage/database.ts';
import type { Tables } from '../schema/tables.ts';
import type { StoredNotification } from './envelopes/presented.ts';
import { readSubjects } from './envelopes/subjects.ts';
import { forwardings } from './forwarders/forward.ts';
import { type Forwarder, readForwarders } from './forwarders/forwarder-row.ts';
import { announcements } from './people/notify.ts';
import { corrections } from './retract.ts';
import type { House } from './sending-policy.ts';

/** What happened to one device in one transaction, as far as it may leave the house. */
export interface Outgoing {
  readonly deviceId: number;
  readonly forwarders: readonly Forwarder[];
  /** Stored just now. */
  readonly points?: readonly (object & { readonly id: number; readonly timestamp: number })[];
  readonly readings?: readonly StoredReading[];
  /** Messages from the device, as the API shows them. */
  readonly messages?: readonly object[];
  readonly notifications?: readonly StoredNotification[];
  /** Notifications that turned out not to have happened. */
  readonly retracted?: readonly { readonly id: number; readonly status: string; readonly reason: string }[];
}

export interface StoredReading {
  readonly id: number;
  readonly timestamp: number;
  readonly type: string;
  readonly gatewayId: number | null;
  readonly deviceId: number | null;
  readonly datapointId: number | null;
}

/** Whether there is anything to do, so that devices of which nothing leaves pay nothing. */
export const isOutgoing = ({ forwarders, notifications = [], retracted = [] }: Omit<Outgoing, 'deviceId'>) =>
  forwarders.length > 0 || notifications.length > 0 || retracted.length > 0;

/** Writes down, in the transaction that caused it, everything that must leave the house. */
export async function postOutgoing(
  tx: Kysely<Tables>,
  engine: Engine,
  house: House,
  all: readonly Outgoing[],
  now: number,
): Promise<void> {
  const outgoing = all.filter(isOutgoing);
  if (outgoing.length === 0) return;
  const subjects = await readSubjects(tx, outgoing, now);
  const postings: Posting[] = [];
  for (const one of outgoing) postings.push(...forwardings(one, subjects, now));
  postings.push(...(await announcements(tx, house, outgoing, subjects, now)));
  postings.push(...(await corrections(tx, engine, outgoing, subjects, now)));
  await post(tx, engine, postings, now);
}

/** What someone stored by hand, rather than the device by a report, is sent on all the same. */
export async function postStored(
  tx: Kysely<Tables>,
  engine: Engine,
  stored: Pick<Outgoing, 'deviceId' | 'points' | 'readings'>,
  now: number,
): Promise<void> {
  const outgoing = { ...stored, forwarders: await readForwarders(tx, stored.deviceId) };
  if (outgoing.forwarders.length === 0) return;
  await post(tx, engine, forwardings(outgoing, await readSubjects(tx, [outgoing], now), now), now);
}
