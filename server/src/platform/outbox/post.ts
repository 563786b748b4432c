import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { insertOf, runRows } from '../storage/bulk.ts';
import type { StoreKind } from '../storage/store-kind.ts';
import type { Content } from './channel.ts';
import { type DestinationAddress, destinationsFor, keyOf } from './destinations.ts';

/** Something that must be sent, stored in the transaction that caused it. */
export interface Posting {
  /** The channel. */
  readonly kind: string;
  /** Where to: see `Address`. Null only for what is never sent, since there is no address to send it to. */
  readonly target: string | null;
  /** Whose the destination is; null for the operator's own servers. */
  readonly ownerId: number | null;
  /** Whether the destination signs its parcels. */
  readonly isSigned?: boolean;
  /** Whom the delivery is recorded for. */
  readonly userId: number;
  /** Order is kept per device, where the channel can. */
  readonly deviceId: number | null;
  /** Another device that it speaks of. */
  readonly otherDeviceId?: number;
  /** To whom at the destination, where that is not the destination itself: an e-mail address, a topic. */
  readonly address: string | null;
  /** What kind of thing it is, for the record. */
  readonly what: string;
  readonly notificationId?: number;
  readonly forwarderId?: number;
  /** A function where the content bears the id of the message. */
  readonly content: Content | ((messageId: string) => Content);
  /** `held` waits for whoever held it; `suppressed` and `dead` are only recorded, with the reason. */
  readonly state?: 'queued' | 'held' | 'suppressed' | 'dead';
  readonly reason?: string;
  /** Not before this; at once where absent. */
  readonly nextAt?: number;
  /** Of what was stored elsewhere before: its id, and when that was. */
  readonly messageId?: string;
  readonly created?: number;
}

const INSERT = insertOf('outbox', {
  messageId: 'text',
  destinationId: 'integer',
  userId: 'integer',
  deviceId: 'integer',
  otherDeviceId: 'integer',
  channel: 'text',
  address: 'text',
  what: 'text',
  notificationId: 'integer',
  forwarderId: 'integer',
  content: 'text',
  state: 'text',
  reason: 'text',
  created: 'time',
  nextAt: 'time',
  expires: 'time',
  ended: 'time',
});

/** How long delivery is tried; after that it is given up. */
export const PATIENCE_MS = 3 * 24 * 3_600_000;

/**
 * Stores postings and answers the ids of their rows, in their order. Rows to one destination are sent in the order
 * of their ids.
 */
export async function post<T>(
  tx: Kysely<T>,
  storeKind: StoreKind,
  postings: readonly Posting[],
  now: number,
): Promise<number[]> {
  if (postings.length === 0) return [];
  const addresses = postings.flatMap((posting) => addressOf(posting) ?? []);
  const destinations = await destinationsFor(tx, storeKind, addresses, now);
  const rows = postings.map((posting) => {
    const { state = 'queued', content, userId, deviceId, kind, address, what, notificationId, forwarderId } = posting;
    const to = addressOf(posting);
    if (to === undefined && (state === 'queued' || state === 'held')) {
      throw new Error(`A posting that is ${state} needs a target`);
    }
    const { messageId = randomUUID(), created = now } = posting;
    return [
      messageId,
      to === undefined ? null : destinations.get(keyOf(to))!,
      userId,
      deviceId,
      posting.otherDeviceId ?? null,
      kind,
      address,
      what,
      notificationId ?? null,
      forwarderId ?? null,
      JSON.stringify(typeof content === 'function' ? content(messageId) : content),
      state,
      posting.reason ?? null,
      created,
      posting.nextAt ?? created,
      (posting.nextAt ?? created) + PATIENCE_MS,
      state === 'queued' || state === 'held' ? null : now,
    ];
  });
  return runRows(tx, storeKind, INSERT, rows);
}

const addressOf = ({ kind, target, ownerId, isSigned }: Posting): DestinationAddress | undefined =>
  target === null ? undefined : { kind, target, ownerId, isSigned };
