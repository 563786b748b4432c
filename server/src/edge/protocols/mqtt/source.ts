import type { Friend, Report } from '../../../reports.ts';
import type { TrackerRecord } from '../trackers/tracker.ts';

/**
 * A convention of devices that publish to an MQTT broker. Pure: no clock, no I/O, never throws for any input. Each
 * convention has one file, its test, and one line in `sources.ts`.
 */
export interface TopicSource {
  readonly name: string;
  /** Default first levels of its topics. */
  readonly prefix: string;
  /** Subscriptions below the prefix; `+` matches one level. */
  readonly filters: readonly string[];
  decode(message: TopicMessage): DecodedTopic;
  /** Messages for a phone that shows other phones, encrypted with its secret; topics are below the prefix. */
  friends?(friends: readonly Friend[], levels: readonly string[], secret: string): readonly TopicPublication[];
}

export interface TopicPublication {
  readonly topic: string;
  readonly payload: string;
}

export interface TopicMessage {
  /** The levels of the topic below the prefix. */
  readonly levels: readonly string[];
  readonly payload: Buffer;
  /** Whether the message was retained by the broker: it may be of any age. */
  readonly isRetained: boolean;
  /** Time of reception, epoch milliseconds. */
  readonly now: number;
  /** The encryption secret of the device, once the device is known. */
  readonly secret?: string;
}

export type DecodedTopic =
  | SaidOnTopic
  /** The message is not for us. */
  | { readonly ignored: string }
  | { readonly problem: string; readonly names?: readonly string[] };

export interface SaidOnTopic {
  /** Possible identifiers of the device, best first: a serial number or an IMEI. */
  readonly names: readonly string[];
  readonly said: { readonly report: Report } | { readonly records: readonly TrackerRecord[] };
  /** Decrypting needs a secret: find the device, then decode again with its `secret`. */
  readonly isEncrypted?: true;
  /** For values that are sent many times a minute: the same value of the same sender is stored only occasionally. */
  readonly repeated?: { readonly sender: string; readonly value: string };
}
