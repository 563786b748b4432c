import type { QueryPairs } from '../../calls.ts';
import type { Friend, Report } from '../../reports.ts';

/** A protocol that a phone app uses over HTTP. Decoding is pure, never throws, and its output is bounded. */
export interface PhoneProtocol {
  /** Mounted at `/ingest/{name}`. */
  readonly name: string;
  /** Whether the app sends the device key as a bearer token. */
  readonly takesBearer?: true;
  /** Whether the app shows the positions of other phones. */
  readonly showsFriends?: true;
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
   * The device's serial number or IMEI. Absent if the request contains none or several; then only a key can identify
   * the device.
   */
  readonly identifier?: string;
  /** The device key, if the request contains one outside the path and HTTP Basic. */
  readonly key?: string;
  readonly report: Report;
  /**
   * Reason why nothing was stored. Still answered with 2xx: a phone sends from a queue, which an error would block
   * permanently.
   */
  readonly ignored?: string;
  /** Decrypting needs a secret: find the device, then decode again with its `secret`. */
  readonly encrypted?: true;
}

/** The request cannot be parsed at all; no real app sends this. */
export interface Malformed {
  readonly malformed: string;
  /** Valid, but over the limits of one request. */
  readonly tooLarge?: true;
}

export type ReportOutcome =
  /** The report is stored. Protocols without commands or friends ignore those. */
  | {
      readonly command?: string;
      readonly friends?: readonly Friend[];
      /** The encryption secret of the phone. The response is then encrypted too, if the protocol supports it. */
      readonly secret?: string;
    }
  | { readonly status: number; readonly problem: string };

export interface PhoneAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** The command is in the body, so it may be marked as sent. */
  readonly commandSent: boolean;
}
