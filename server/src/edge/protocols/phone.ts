import type { QueryPairs } from '../../calls.ts';
import type { Report, ReportedPoint } from '../../reports.ts';

/** A protocol that a phone app uses over HTTP. Decoding is pure, never throws, and its output is bounded. */
export interface PhoneProtocol {
  /** Mounted at `/ingest/{name}`. */
  readonly name: string;
  /** Whether the app sends the device key as a bearer token. */
  readonly takesBearer?: true;
  decode(request: PhoneRequest): Decoded | Malformed;
  answer(outcome: ReportOutcome): PhoneAnswer;
}

export interface PhoneRequest {
  readonly query: QueryPairs;
  readonly contentType: string;
  readonly body: string;
  /** Names in lower case, as Node provides them. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The time of reception, epoch milliseconds. */
  readonly now: number;
  /** The device's encryption secret, once the device is known. */
  readonly secret?: string;
}

export interface Decoded {
  /**
   * The device's serial or IMEI. Absent if the request names none or several; then only a key can identify the device.
   */
  readonly identifier?: string;
  /** The device key, if the request carries one outside the path and HTTP Basic. */
  readonly key?: string;
  readonly report: Report;
  /** Why nothing was stored. Still answered 2xx: a phone sends from a queue, and a refusal would block it for good. */
  readonly ignored?: string;
  /** Decrypting it needs a secret: find the device, then decode again with its `secret`. */
  readonly encrypted?: true;
}

/** Nothing a real app sends from its queue: it cannot be understood at all. */
export interface Malformed {
  readonly malformed: string;
  /** Understood, but over the limits of one request. */
  readonly tooLarge?: true;
}

export type ReportOutcome =
  /** Written down. A protocol that can't carry commands or friends leaves them out. */
  | {
      readonly command?: string;
      readonly friends?: readonly Friend[];
      /** The phone encrypts with it, so the answer is encrypted too where the protocol can do that. */
      readonly secret?: string;
    }
  | { readonly status: number; readonly problem: string };

/** Another user whose place the phone shows beside its own. */
export interface Friend {
  /** Stable, and without a slash. */
  readonly id: string;
  readonly name: string;
  readonly point: ReportedPoint;
}

export interface PhoneAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** The command is in the body, so it may be marked as sent. */
  readonly commandSent: boolean;
}
