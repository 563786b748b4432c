import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { insertOf, runRows } from '../storage/bulk.ts';
import type { AnyDatabase } from '../storage/database.ts';
import { runSql } from '../storage/run-sql.ts';
import type { Content } from './channel.ts';
import { type DestinationAddress, destinationsFor, keyOf } from './destinations.ts';
import { RESEND, RESEND_WINDOW } from './statements.ts';

/** A message to send, stored in the transaction that caused it. */
export interface Posting {
  /** The channel. */
  readonly kind: string;
  /** The target: see `Address`. Null only for messages that are never sent because they have no address. */
  readonly target: string | null;
  /** The owner of the destination; null for the operator's own servers. */
  readonly ownerId: number | null;
  /** Whether the destination signs its parcels. */
  readonly isSigned?: boolean;
  /** The user that the delivery is recorded for. */
  readonly userId: number;
  /** Order is kept per device, if the channel supports it. */
  readonly deviceId: number | null;
  /** Another device that it is about. */
  readonly otherDeviceId?: number;
  /** The recipient at the destination, if it is not the destination itself: an e-mail address, a topic. */
  readonly address: string | null;
  /** The kind of the content, for the record. */
  readonly what: string;
  readonly notificationId?: number;
  readonly forwarderId?: number;
  /** A function if the content contains the id of the message. */
  readonly content: Content | ((messageId: string) => Content);
  /** `held` waits until it is released; `suppressed` and `dead` are only recorded, with the reason. */
  readonly state?: 'queued' | 'held' | 'suppressed' | 'dead';
  readonly reason?: string;
  /** See `Because`. */
  readonly reasonDetails?: string | null;
  /** Not before this time; at once if absent. */
  readonly nextAt?: number;
  /** For a message that was stored elsewhere before: its id, and the time. */
  readonly messageId?: string;
  readonly created?: number;
}

export const INSERT = insertOf('outbox', {
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
  reasonDetails: 'json',
  created: 'time',
  nextAt: 'time',
  expires: 'time',
  ended: 'time',
});

/** How long delivery is tried; then it is given up. */
export const PATIENCE_MS = 3 * 24 * 3_600_000;

/**
 * Stores postings and returns the ids of their rows, in order. Rows to one destination are sent in the order of their
 * ids.
 */
export async function post<T>(tx: Kysely<T>, postings: readonly Posting[], now: number): Promise<number[]> {
  if (postings.length === 0) return [];
  const addresses = postings.flatMap((posting) => addressOf(posting) ?? []);
  const destinations = await destinationsFor(tx, addresses, now);
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
      posting.reasonDetails ?? null,
      created,
      posting.nextAt ?? created,
      (posting.nextAt ?? created) + PATIENCE_MS,
      state === 'queued' || state === 'held' ? null : now,
    ];
  });
  return runRows(tx, INSERT, rows);
}

const addressOf = ({ kind, target, ownerId, isSigned }: Posting): DestinationAddress | undefined =>
  target === null ? undefined : { kind, target, ownerId, isSigned };

interface ResendRange {
  readonly from: number;
  readonly to: number;
  readonly destinationId?: number | null | undefined;
  /** Excluded destinations. */
  readonly except: readonly number[];
  readonly state: string;
}

/** Maximum number of rows per statement. */
const WINDOW = 2000;

/** Sends rows of a user again, a window of ids at a time, so that others can write in between. Returns their number. */
export async function resendRange(db: AnyDatabase, userId: number, range: ResendRange, now: number): Promise<number> {
  const { from, to, state, destinationId, except } = range;
  let count = 0;
  for (let after = 0; ; ) {
    const [window] = await runSql<{ last: number | null; rows: number }>(db.query, RESEND_WINDOW, [
      userId,
      after,
      WINDOW,
    ]);
    if (!window?.last) return count;
    const cells = [now, now + PATIENCE_MS, userId, after, window.last, state, from, to, destinationId ?? 0];
    count += (await runSql(db.query, RESEND, [...cells, destinationId ?? 0, `,${except.join()},`])).length;
    if (window.rows < WINDOW) return count;
    after = window.last;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
