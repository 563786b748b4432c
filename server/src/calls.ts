import type { AnswerOf, BodyOf, OperationName, QueryOf } from '@trackway/contract/operations.ts';
import type { Report } from './reports.ts';

/**
 * Where the outside and the product meet: the edge makes calls, the domain answers them, and neither imports the other.
 */

export interface Caller {
  readonly userId: number;
  readonly admin: boolean;
  /** The token the caller came with, so that it can be ended. */
  readonly tokenId: number;
}

/** What someone may do with a device; each includes those before it. */
export type Right = 'view' | 'manage' | 'own';

/** The pairs of a query string, decoded, in order. */
export type QueryPairs = ReadonlyArray<readonly [string, string]>;

export interface Call<Body = unknown, Parameters = Readonly<Record<string, unknown>>> {
  /** Absent only where the operation is for anyone. */
  readonly caller: Caller;
  /** The device of the path, once the caller's right on it was seen. */
  readonly deviceId: number;
  readonly right: Right;
  /** The user of the path, or the caller where the path names none. */
  readonly userId: number;
  /** The last id of the path: a child's key, or that of a thing without a parent. */
  readonly key: number;
  readonly query: QueryPairs;
  /** The declared query parameters, taken in by the contract. */
  readonly parameters: Parameters;
  /** The body, taken in by the contract: only known fields, coerced. */
  readonly body: Body;
  /** The body as sent, for what must be compared rather than taken. */
  readonly sent: Readonly<Record<string, unknown>>;
  readonly now: number;
  readonly address: string;
}

/** An answer that is JSON text already. `Answer` is what the text says; it exists for the compiler only. */
export class JsonText<Answer> {
  readonly text: string;
  declare readonly answer?: Answer;
  constructor(text: string) {
    this.text = text;
  }
}

/** An answer of any length, made while it is sent. */
export class TextStream {
  readonly contentType: string;
  readonly fileName: string;
  readonly chunks: AsyncIterable<string>;
  constructor(contentType: string, fileName: string, chunks: AsyncIterable<string>) {
    this.contentType = contentType;
    this.fileName = fileName;
    this.chunks = chunks;
  }
}

/** What a handler may answer: what the contract says, as a value or as its JSON text; a text also as a stream. */
type Answered<Answer> = Answer | JsonText<Answer> | (string extends Answer ? TextStream : never);

export type Handler<K extends OperationName> = (call: Call<BodyOf<K>, QueryOf<K>>) => Promise<Answered<AnswerOf<K>>>;
export type Handlers<K extends OperationName = OperationName> = { readonly [N in K]: Handler<N> };

/** Who is there, and what may they do: what the edge asks before it makes a call. */
export interface Gate {
  /** The caller behind a token; refuses unknown and expired ones. */
  authenticate(token: string, now: number): Promise<Caller>;
  /** The caller's right on a device, or undefined where they may not even know of it. */
  rightOn(caller: Caller, deviceId: number): Promise<Right | undefined>;
  userExists(userId: number): Promise<boolean>;
}

/** What a device confirms, and reports of itself besides its items. */
export interface Confirmation {
  /** The messages that it received. */
  readonly messages: readonly number[];
  /** The `modified` of the configuration that it applied. */
  readonly config?: number;
  /** The safe zone that it applied. */
  readonly geofence?: number;
  readonly currentFW?: string;
}

/** What was made of a report, and what waits for the device. */
export interface ReportAnswer {
  readonly accepted: number;
  readonly duplicates: number;
  readonly quarantined: readonly { readonly list: string; readonly index: number; readonly reason: string }[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly geofence?: Readonly<Record<string, unknown>>;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

/** The device that a report is of, and the key it came with. */
export interface ReportingIdentity {
  readonly deviceId: number;
  /** Absent where the device may report without its key. */
  readonly keyHash?: string;
}

/** Where devices report: what the listeners ask of the domain. */
export interface ReportReceiver {
  /** A key that was revoked may still be cached here; no report is accepted with it. */
  deviceOfKey(key: string): Promise<ReportingIdentity | undefined>;
  /** Whether the key still is the device's: asked before a report is refused for another reason. */
  keyIsCurrent(identity: ReportingIdentity): Promise<boolean>;
  /** By serial number or IMEI, only where the device may report without its key. */
  deviceOfIdentifier(identifier: string): Promise<ReportingIdentity | undefined>;
  /** Answers once everything is durable; undefined where the device is gone, or has another key by now. */
  receive(
    identity: ReportingIdentity,
    report: Report,
    confirmation: Confirmation,
    now: number,
  ): Promise<ReportAnswer | undefined>;
  /** For protocols that cannot confirm: the message went out with the answer. */
  messageSent(deviceId: number, messageId: number, now: number): Promise<void>;
}

/** Streams of what happens, as it happens. */
export interface LiveStreams {
  /** Refuses who has too many streams already, and devices that the caller may not see. */
  admit(caller: Caller, devices: readonly number[] | undefined): Promise<void>;
  /** @param wanted `after`: the id of the last event that was had */
  open(
    caller: Caller,
    wanted: { readonly devices?: readonly number[]; readonly after?: string },
    sink: StreamSink,
  ): LiveStream;
}

export interface StreamSink {
  /** False where it is full, until it is drained. */
  write(bytes: Uint8Array): boolean;
  end(): void;
}

export interface LiveStream {
  drained(): void;
  end(): void;
}
