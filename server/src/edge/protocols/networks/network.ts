import type { QueryPairs } from '../../../calls.ts';
import type { Report, ReportedReading } from '../../../reports.ts';

/**
 * A network that carries what many devices send, and posts it here with the token of a user. Decoding is pure, never
 * throws, and its output is bounded.
 */
export interface NetworkProtocol {
  /** Mounted at `/ingest/{name}`. */
  readonly name: string;
  readonly methods: readonly ('GET' | 'POST')[];
  decode(request: NetworkRequest): NetworkMessage | NotUsable;
  /** What goes down to the device with the answer, where the network takes that. */
  downlink?(message: NetworkMessage, waiting: readonly WaitingMessage[]): Downlink | undefined;
  /**
   * What goes down by a call to the network.
   * @param headers of the request, names in lower case
   */
  push?(headers: Headers, waiting: readonly WaitingMessage[], message: NetworkMessage): Push | undefined;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface NetworkRequest {
  readonly query: QueryPairs;
  readonly contentType: string;
  readonly body: string;
  /** The time of reception, epoch milliseconds. */
  readonly now: number;
}

export interface NetworkMessage {
  /** The device's identifier, in each way in which its serial number may be written; best first. */
  readonly names: readonly string[];
  readonly report: Report;
  /** The stations that received it. */
  readonly heardBy: readonly HeardBy[];
  /** Why nothing is stored of it. */
  readonly ignored?: string;
  /** The device listens for a moment after an uplink. */
  readonly isUplink?: true;
  /** Set where the network waits for something to send down: the device as the network names it. */
  readonly awaitsDownlink?: string;
}

export interface HeardBy {
  /** As `names` of the message. */
  readonly names: readonly string[];
  /** What the station is to report of the device. */
  readonly seen: ReportedReading;
  /** The same reception told again says the same. */
  readonly identity: string;
}

/** Answered 2xx all the same: networks switch off an address that refuses too often. */
export interface NotUsable {
  readonly notUsable: string;
}

export interface WaitingMessage {
  readonly id: number;
  readonly message: string | null;
}

export interface Downlink {
  readonly messageId: number;
  readonly body: unknown;
}

export interface Push {
  readonly messageId: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const EMPTY: Report = { points: [], readings: [], gatewayReadings: [], messages: [] };
