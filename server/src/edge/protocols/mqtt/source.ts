import type { Report } from '../../../reports.ts';
import type { TrackerRecord } from '../trackers/tracker.ts';

/**
 * What devices say on the topics of a broker. All of it is pure: no clock, no I/O, and nothing throws, whatever the bytes
 * are. One file for each convention of topics, its test, and one line in `sources.ts`.
 */
export interface TopicSource {
  readonly name: string;
  /** The first levels of its topics, unless the operator says others. */
  readonly prefix: string;
  /** What is subscribed to below the prefix; `+` stands for one level. */
  readonly filters: readonly string[];
  decode(message: TopicMessage): DecodedTopic;
}

export interface TopicMessage {
  /** The levels of the topic below the prefix. */
  readonly levels: readonly string[];
  readonly payload: Buffer;
  /** Whether the broker kept it: it may be of any age. */
  readonly isRetained: boolean;
  /** Time of reception, epoch milliseconds. */
  readonly now: number;
  /** What the device encrypts with, once the device is known. */
  readonly secret?: string;
}

export type DecodedTopic =
  | SaidOnTopic
  /** Nothing for us. */
  | { readonly ignored: string }
  | { readonly problem: string; readonly names?: readonly string[] };

export interface SaidOnTopic {
  /** By which the device may be known, best first: a serial number or an IMEI. */
  readonly names: readonly string[];
  readonly said: { readonly report: Report } | { readonly records: readonly TrackerRecord[] };
  /** Decrypting it needs a secret: find the device, then decode again with its `secret`. */
  readonly isEncrypted?: true;
  /** For what is said many times a minute: the same of the same sender is stored only now and then. */
  readonly repeated?: { readonly sender: string; readonly value: string };
}
