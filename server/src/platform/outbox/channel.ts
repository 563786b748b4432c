import type { Because } from '../because.ts';
import type { Vault } from '../vault.ts';

/** Interface of sending channels. Each channel is a separate file, and all pass the same test suite. */

/** The content to send: created once, when its cause was recorded. */
export interface Content {
  /** The body. */
  readonly text: string;
  /** Its media type. */
  readonly type: string;
  /** Headers of this content, if the channel has headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The subject of a mail or a push message. */
  readonly subject?: string;
  readonly html?: string;
  /** Files attached to a mail. */
  readonly attachments?: readonly Attachment[];
}

interface Attachment {
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  readonly base64: string;
}

/** One message to a destination. */
export interface Parcel {
  readonly id: number;
  /** The same over all attempts, so that a receiver can recognize a repetition. */
  readonly messageId: string;
  /** Parcels of one group keep their order if the channel supports it. */
  readonly group: string;
  /** The recipient at the destination, if it is not the destination itself: an e-mail address, a topic. */
  readonly address: string | null;
  readonly content: Content;
  readonly createdAt: number;
}

export interface Destination {
  readonly id: number;
  readonly target: string;
  /** The signing secrets; the current one first, others are still valid during a rotation. */
  readonly secrets: readonly string[];
}

/**
 * The outcome of one parcel.
 * - `down`: the destination cannot accept anything now (no connection, timeout, 5xx, 429), which the parcel did not
 *   cause. `isUnclear` if the parcel may have arrived nevertheless.
 * - `broken`: it was started and not completed, and nothing is known about the destination: a reused connection broke,
 *   or the service stops. The parcel may have arrived; it is sent again at once.
 * - `later`: the destination accepts others, and this parcel perhaps later.
 * - `refused`: the destination rejects this parcel.
 * - `gone`: the destination reports that it no longer exists.
 * - `unconfigured`: the operator has not configured this channel; the reason explains how.
 */
export type SendOutcome = { readonly kind: 'sent' } | Failure;

type Failure = Because &
  (
    | { readonly kind: 'down'; readonly retryAfterMs?: number; readonly isUnclear?: boolean }
    | { readonly kind: 'broken'; readonly isStopping?: boolean }
    | { readonly kind: 'later' | 'refused' | 'gone' | 'unconfigured' }
  );

export interface Channel {
  /** Maximum number of parcels in one `send`. */
  readonly batch: number;
  /** Maximum number of concurrent `send`s to one destination. */
  readonly concurrency: number;
  /** Whether parcels of one group must arrive in order: a failed one holds back the later ones. */
  isOrdered(target: string): boolean;
  /** One outcome for each parcel, in order. Never throws; ends within its own deadline. */
  send(destination: Destination, parcels: readonly Parcel[], signal: AbortSignal): Promise<readonly SendOutcome[]>;
  close(): Promise<void>;
}

/** The type of content that grants access to its reader: it is stored encrypted until it is sent. */
const SEALED_TYPE = 'application/vnd.trackway.sealed';

export const sealedContext = (messageId: string) => `outbox.content:${messageId}`;

export const isSealedContent = ({ type }: Pick<Content, 'type'>) => type === SEALED_TYPE;

export const sealContent = (seal: Vault['seal'], messageId: string, content: Content): Content => ({
  type: SEALED_TYPE,
  text: seal(JSON.stringify(content), sealedContext(messageId)),
});

/** The content to send. Throws CannotOpen if the key is another one. */
export const openContent = (vault: Pick<Vault, 'open'>, messageId: string, content: Content): Content =>
  isSealedContent(content) ? (JSON.parse(vault.open(content.text, sealedContext(messageId))) as Content) : content;
