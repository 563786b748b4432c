import type { QueryPairs } from '../../../calls.ts';
import type { Report, ReportedReading } from '../../../reports.ts';

/**
 * A network that forwards messages of many devices and posts them here with the token of a user. Decoding is pure,
 * never throws, and its output is bounded.
 */
export interface NetworkProtocol {
  /** Mounted at `/ingest/{name}`. */
  readonly name: string;
  readonly methods: readonly ('GET' | 'POST')[];
  decode(request: NetworkRequest): NetworkMessage | NotUsable;
  /** The downlink to return in the response, if the network supports that. */
  downlink?(message: NetworkMessage, waiting: readonly WaitingMessage[]): Downlink | undefined;
  /**
   * The downlink to send by calling the network.
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
  /** The possible spellings of the device's identifier; best first. */
  readonly names: readonly string[];
  readonly report: Report;
  /** The gateways that received it. */
  readonly receivedBy: readonly NetworkGateway[];
  /** Reason why nothing is stored. */
  readonly ignored?: string;
  /** The device receives for a moment after an uplink. */
  readonly isUplink?: true;
  /** Set if the network waits for a downlink: the device's name in the network. */
  readonly awaitsDownlink?: string;
}

export interface NetworkGateway {
  /** Like `names` of the message. */
  readonly names: readonly string[];
  /** The reading of the gateway about the device. */
  readonly seen: ReportedReading;
  /** A repeated message about the same reception has the same value. */
  readonly identity: string;
}

/** Still answered with 2xx: networks disable an address that rejects too often. */
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
