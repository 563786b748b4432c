/** How messages are sent. Each channel is a file of its own, and all pass one suite of tests. */

/** What is sent: made once, when its cause was recorded. */
export interface Content {
  /** The body. */
  readonly text: string;
  /** Its media type. */
  readonly type: string;
  /** Headers that belong to this content, where the channel has headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a letter or a message on a screen. */
  readonly subject?: string;
  readonly html?: string;
  /** Files that go with a letter. */
  readonly attachments?: readonly Attachment[];
}

export interface Attachment {
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  readonly base64: string;
}

/** One thing to send to a destination. */
export interface Parcel {
  readonly id: number;
  /** The same over all attempts, so that a receiver can recognize a repeat. */
  readonly messageId: string;
  /** Parcels of one group keep their order where the channel can. */
  readonly group: string;
  /** To whom at the destination, where that is not the destination itself: an e-mail address, a topic. */
  readonly address: string | null;
  readonly content: Content;
  readonly createdAt: number;
}

export interface Destination {
  readonly id: number;
  readonly target: string;
  /** By which parcels are signed; the one in use first, others are still valid during a rotation. */
  readonly secrets: readonly string[];
}

/**
 * What became of one parcel.
 * - `down`: the destination cannot take anything now (no connection, timeout, 5xx, 429), which is not the parcel's fault.
 *   `isUnclear` where the parcel may have arrived all the same.
 * - `broken`: it was begun and not ended, and nothing is known of the destination: a connection that was used before
 *   broke, or the service stops. The parcel may have arrived; it is sent again at once.
 * - `later`: the destination takes others, and this parcel perhaps in a while.
 * - `refused`: the destination does not want this parcel.
 * - `gone`: the destination says that it is no more.
 * - `unconfigured`: the operator has not set this channel up; the reason says how to.
 */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'down'; readonly reason: string; readonly retryAfterMs?: number; readonly isUnclear?: boolean }
  | { readonly kind: 'broken'; readonly reason: string; readonly isStopping?: boolean }
  | { readonly kind: 'later'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'gone'; readonly reason: string }
  | { readonly kind: 'unconfigured'; readonly reason: string };

export interface Channel {
  /** Most parcels in one `send`. */
  readonly batch: number;
  /** Most `send`s at a time to one destination. */
  readonly concurrency: number;
  /** Whether parcels of one group must arrive in order: a failed one holds back those behind it. */
  isOrdered(target: string): boolean;
  /** One outcome for each parcel, in their order. Never throws; ends within its own deadline. */
  send(destination: Destination, parcels: readonly Parcel[], signal: AbortSignal): Promise<readonly SendOutcome[]>;
  close(): Promise<void>;
}
