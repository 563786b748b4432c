import type { AnswerOf, BodyOf, OperationName, ParametersIn, PathOf, QueryOf } from '@trackway/contract/operations.ts';
import type { TokenScope } from '@trackway/contract/scopes.ts';
import type { Listed } from './platform/collection.ts';
import type { Friend, Report } from './reports.ts';

/**
 * The interface between the edge and the domain: the edge makes calls, the domain answers them, and neither imports the
 * other.
 */

export interface Caller {
  readonly userId: number;
  readonly admin: boolean;
  /** Set for an admin who has no rights of an admin until they have a second factor. */
  readonly lacksSecondFactor?: true;
  /** The token of the caller, so that it can be revoked. */
  readonly tokenId: number;
  /** When the caller last proved who they are; absent for personal tokens. */
  readonly signedInAt?: number;
  /** What the token is limited to; absent for one without limits. */
  readonly scope?: TokenScope;
}

/** The addresses of the local network that the server accepts connections on, besides its own. */
export interface NetworkListeners {
  /** The open ones. */
  addresses(): readonly string[];
  /** Opens these and closes all others, with their connections. One that cannot be opened is logged. */
  listenOn(addresses: readonly string[], port: number): Promise<void>;
}

/** The rights on a device; each includes those before it. */
export type Right = 'view' | 'manage' | 'own';

/** The decoded pairs of a query string, in order. */
export type QueryPairs = ReadonlyArray<readonly [string, string]>;

export interface Call<Body = unknown, Parameters = Readonly<Record<string, unknown>>, Names extends string = never> {
  /** Absent only where the operation is for anyone. */
  readonly caller: Caller;
  /** The device of the path, after the caller's right on it was checked. */
  readonly deviceId: number;
  readonly right: Right;
  /** The user of the path, or the caller if the path names none. */
  readonly userId: number;
  /** The id of a child in the path, or of an object without a parent. */
  readonly key: number;
  /** Every id in the path by the name of its parameter; a user's is resolved. Texts are not here. */
  readonly keys: Readonly<Record<Names, number>>;
  /** The path parameters that are texts, decoded. */
  readonly texts: Readonly<Record<Names, string>>;
  readonly query: QueryPairs;
  /** The declared query parameters, taken in by the contract. */
  readonly parameters: Parameters;
  /** The body, taken in by the contract: only known fields, coerced. */
  readonly body: Body;
  /** The body as sent, for fields that are compared rather than stored. */
  readonly sent: Readonly<Record<string, unknown>>;
  readonly now: number;
  readonly address: string;
  /** The origin of the page that calls, or of this server as the caller addresses it. */
  readonly origin: string;
  /** Whether the caller wants unknown keys to be refused instead of ignored. */
  readonly isStrict?: boolean;
  /** Receives what a list left out. */
  readonly listed?: Listed;
  /** The program that calls, as it names itself. */
  readonly agent?: string;
}

/** An answer that is JSON text already. `Answer` is the type of its content; it exists for the compiler only. */
export class JsonText<Answer> {
  readonly text: string;
  declare readonly answer?: Answer;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The answer of an operation that created something: its status is 201. For operations whose handler chooses the
 * status.
 */
export class Created<Answer> {
  readonly answer: Answer | JsonText<Answer>;
  constructor(answer: Answer | JsonText<Answer>) {
    this.answer = answer;
  }
}

/** An answer of any length, generated while it is sent. */
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

/** An answer that is a file of bytes. */
export class FileAnswer {
  readonly contentType: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** What else there is to say of it. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    contentType: string,
    fileName: string,
    bytes: Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.contentType = contentType;
    this.fileName = fileName;
    this.bytes = bytes;
    this.headers = headers;
  }
}

/** An answer that is a file of any length, generated while it is sent. */
export class FileStream {
  readonly contentType: string;
  readonly fileName: string;
  readonly chunks: AsyncIterable<Uint8Array | string>;
  constructor(contentType: string, fileName: string, chunks: AsyncIterable<Uint8Array | string>) {
    this.contentType = contentType;
    this.fileName = fileName;
    this.chunks = chunks;
  }
}

/** An answer of any length that is JSON, generated while it is sent. */
export class JsonStream<Answer> {
  readonly chunks: AsyncIterable<string>;
  declare readonly answer?: Answer;
  constructor(chunks: AsyncIterable<string>) {
    this.chunks = chunks;
  }
}

/** What a handler may return: the answer of the contract, as a value or as its JSON text; a text also as a stream. */
type Answered<Answer> =
  | Answer
  // biome-ignore lint/suspicious/noConfusingVoidType: so that a handler without an answer needs no return statement.
  | (undefined extends Answer ? void : never)
  | JsonText<Answer>
  | JsonStream<Answer>
  | Created<Answer>
  | (string extends Answer ? TextStream : never)
  | (Answer extends Uint8Array ? FileAnswer | FileStream : never);

export type CallOf<K extends OperationName> = Call<BodyOf<K>, QueryOf<K>, ParametersIn<PathOf<K>>>;
type Handler<K extends OperationName> = (call: CallOf<K>) => Promise<Answered<AnswerOf<K>>>;
export type Handlers<K extends OperationName = OperationName> = { readonly [N in K]: Handler<N> };

/** What the edge checks before it makes a call: who the caller is, and which rights it has. */
export interface Gate {
  /** The caller of a token; refuses unknown and expired tokens. */
  authenticate(token: string, now: number, address?: string): Promise<Caller>;
  /** The caller's right on a device; undefined if the caller must not learn that the device exists. */
  rightOn(caller: Caller, deviceId: number): Promise<Right | undefined>;
  /** The device that an identifier names (`7`, `id:7`, `imei:…`, `serial:…`), if the caller may see it. */
  deviceNamed(caller: Caller, identifier: string): Promise<number | undefined>;
  userExists(userId: number): Promise<boolean>;
  /** The user with this username or e-mail address, if the user signed in from the address within 30 days. */
  userKnownAt(address: string, account: AccountName, now: number): Promise<number | undefined>;
}

/** How a sign-in names its account. */
export interface AccountName {
  readonly username?: string | null;
  readonly email?: string | null;
}

/** A request with a key: the same request with the same key is carried out once. */
export interface KeyedCall {
  readonly userId: number;
  /** The fingerprint of method, path and key. */
  readonly request: string;
  /** The fingerprint of query and body. */
  readonly body: string;
  readonly now: number;
}

export interface KeyedAnswer {
  readonly status: number;
  /** JSON; null for an answer without a body. */
  readonly text: string | null;
  /** Whether it is the answer of an earlier request. */
  readonly isReplayed: boolean;
}

/** Carries out keyed requests, each once. */
export interface KeptAnswers {
  once(call: KeyedCall, run: () => Promise<Omit<KeyedAnswer, 'isReplayed'>>): Promise<KeyedAnswer>;
}

/** What a device confirms and reports about itself in addition to its report. */
export interface Confirmation {
  /** Ids of the messages that it received. */
  readonly messages: readonly number[];
  /** The `modified` of the configuration that it applied. */
  readonly config?: number;
  /** The safe zone that it applied. */
  readonly geofence?: number;
  readonly currentFW?: string;
}

/** The result of a report, and what is pending for the device. */
export interface ReportAnswer {
  readonly accepted: number;
  readonly duplicates: number;
  /** Items older than what is kept; absent where there are none. */
  readonly expired?: number;
  readonly quarantined: readonly { readonly list: string; readonly index: number; readonly reason: string }[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly geofence?: Readonly<Record<string, unknown>>;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

/** The device that reports, and what identified it. Nothing is stored once that is no longer the device's. */
export interface ReportingIdentity {
  readonly deviceId: number;
  /** Absent if the device reports without its key. */
  readonly keyHash?: string;
  /** The serial number or IMEI that identified the device without its key; absent while an admin must approve it. */
  readonly identifier?: string;
}

/** Receives the reports of devices: what the listeners need of the domain. */
export interface ReportReceiver {
  /** A replaced or revoked key may still be found here, but nothing is received with it. */
  deviceOfKey(key: string): Promise<ReportingIdentity | undefined>;
  /** Whether the key or identifier is still the device's. Checked before a report is refused for another reason. */
  isCurrent(identity: ReportingIdentity): Promise<boolean>;
  /** By serial number or IMEI, only if the device may report without its key. It may be outdated, like a key. */
  deviceOfIdentifier(identifier: string): Promise<ReportingIdentity | undefined>;
  /** What the device encrypts its reports with, where its owner set that. */
  secretOf(deviceId: number): Promise<string | undefined>;
  /** Answers once everything is durable; undefined where the device is gone, or has another key or identifier by now. */
  receive(
    identity: ReportingIdentity,
    report: Report,
    confirmation: Confirmation,
    now: number,
  ): Promise<ReportAnswer | undefined>;
  /**
   * The phones that the owner of a phone sees, for an app that shows them.
   * @param isProven whether the report came with the key or the secret of the device; otherwise none are returned
   */
  friendsOf(deviceId: number, app: string, isProven: boolean): Promise<readonly Friend[]>;
  /** For protocols that cannot confirm: the message was sent with the answer. */
  messageSent(deviceId: number, messageId: number, now: number): Promise<void>;
}

/** A tracker that may report, and what its decoder must know of it. */
export interface KnownTracker extends ReportingIdentity {
  /** The zone of its clock, where that is not UTC. */
  readonly timeZone?: string;
  readonly model?: string;
  /** Why this connection receives no commands; absent where it may. */
  readonly commandRefusal?: string;
}

/** How a tracker is connected. */
export interface TrackerLink {
  readonly protocol: string;
  readonly transport: 'tcp' | 'udp';
  /** Of the other end. */
  readonly address: string;
}

/** Two connections claim one identity, so that it is not certain which of them is the device. */
export interface ContestedChannel {
  readonly deviceId: number;
  /** The one that was there first. */
  readonly first?: TrackerLink;
  readonly second: TrackerLink;
}

/** A device that belongs to the caller. */
export interface OwnDevice extends KnownTracker {
  /** The stored name that matched. */
  readonly name: string;
}

/** Finds the devices that a network may report for: devices of the token's user that the token may access. */
export interface OwnDevices {
  /** @param names best first */
  bySerial(caller: Caller, names: readonly string[]): Promise<OwnDevice | undefined>;
  /** By IMEI, serial number or the ICCID of its SIM card. */
  byAnyName(caller: Caller, names: readonly string[]): Promise<OwnDevice | undefined>;
}

export interface TrackerReceipt {
  /** `refused`: for good, so that it is confirmed all the same. `gone`: the device may not report any more. */
  readonly outcome: 'stored' | 'refused' | 'gone';
  /** Whether anything waits for the device. */
  readonly hasPending: boolean;
}

/** A tracker that is not registered, or may not report by its identity alone. */
export interface UnknownTracker {
  readonly protocol: string;
  /** Possible identifiers, best first. */
  readonly names: readonly string[];
  readonly address: string;
  readonly now: number;
}

/** Bytes that could not be decoded completely. */
export interface UndecodedFrame {
  readonly protocol: string;
  readonly deviceId?: number;
  /** As it names itself. */
  readonly name?: string;
  readonly address: string;
  readonly problem: string;
  readonly bytes: Buffer;
  readonly now: number;
}

/** A journey that no device made: two connections say that it was here and there. */
export interface ImpossibleJourney {
  readonly deviceId: number;
  readonly addresses: readonly [string, string];
  readonly km: number;
  readonly seconds: number;
}

/** What the listeners of trackers need of the domain. */
export interface TrackerGateway {
  /**
   * By its key, or else by one of its names where it may report without a key.
   * @param commands that can be said to it in its protocol
   */
  find(
    names: readonly string[],
    key: string | undefined,
    link: TrackerLink,
    commands: readonly string[],
  ): Promise<KnownTracker | undefined>;
  /** Answers once everything is durable. */
  receive(tracker: ReportingIdentity, report: Report, now: number): Promise<TrackerReceipt>;
  noteUnknown(unknownTracker: UnknownTracker): void;
  undecoded(frame: UndecodedFrame): void;
  /** Two connections claim one identity, at places too distant from each other. */
  cloned(journey: ImpossibleJourney, now: number): void;
  /** More than one connection names the device. Its owner is notified, once a day. */
  contested(channel: ContestedChannel, now: number): void;
  /**
   * The next message to a device, which counts as written from now on. What may not be sent is passed over, or held where
   * this connection may not receive it.
   */
  nextCommand(tracker: ReportingIdentity, link: TrackerLink, now: number): Promise<CommandToSend | undefined>;
  /** Notes why messages to the device are not sent for now; false where none waits. */
  commandsHeld(deviceId: number, reason: string): Promise<boolean>;
  /** It could not be written after all. */
  commandReturned(messageId: number): Promise<void>;
  commandFailed(deviceId: number, messageId: number, failure: string, now: number): Promise<void>;
  /** The device has it; `reply` was stored as a message of the device. */
  commandConfirmed(
    deviceId: number,
    messageId: number,
    reply: { readonly text: string; readonly isFailure: boolean } | undefined,
    now: number,
  ): Promise<void>;
  /** Absent where there is one node only. */
  readonly channels?: ChannelRegistry;
}

/** The time until which a connection of a device counts as alive, if nothing more is received on it. */
export interface HeldChannel {
  readonly deviceId: number;
  readonly until: number;
}

export interface ChannelState {
  readonly state: 'held' | 'contested' | 'elsewhere';
  readonly until: number;
  /** When the owner ended all connections of the device, where that was just now. */
  readonly releasedAt?: number;
}

interface AskedOfChannel {
  readonly deviceId: number;
  readonly asked: 'send' | 'release' | 'probe';
  readonly askedAt: number;
}

/** Which node sends the commands of a device, where several nodes have connections of trackers. */
export interface ChannelRegistry {
  /** Whether there are other nodes. */
  isNeeded(): boolean;
  /** The same, but looks for nodes that joined a moment ago. */
  isNeededNow(): Promise<boolean>;
  /**
   * Holds the channel of a device for this node, or contests it for some seconds where another node holds it.
   * @returns `contested` where it is held here, and a connection at another node names the same device; and until when it
   * is held by any node
   */
  hold(channel: HeldChannel, now: number): Promise<ChannelState>;
  /** The last connection of the device at this node is closed. */
  leave(deviceId: number, now: number): Promise<void>;
  /** Asks the node that holds the channel to send what waits, or to end the connections of the device. */
  ask(deviceId: number, what: 'send' | 'release', now: number): Promise<void>;
  /** What other nodes asked of this one since the last call. `probe`: a connection elsewhere contests the channel. */
  asked(now: number): Promise<readonly AskedOfChannel[]>;
}

/** A message that goes down to a tracker: a text, or a command by its name. */
export interface CommandToSend {
  readonly messageId: number;
  readonly text?: string;
  readonly command?: {
    readonly name: string;
    readonly parameters: Readonly<Record<string, string | number | boolean>>;
  };
}

/** Access control for clients of the operator's MQTT broker. */
export interface BrokerGate {
  mayConnect(
    client: { readonly username: string; readonly password: string; readonly clientId: string },
    now: number,
  ): Promise<boolean>;
  mayUse(
    use: {
      readonly username: string;
      /** Empty where the broker does not say. */
      readonly clientId: string;
      readonly topic: string;
      readonly isSubscribing: boolean;
    },
    now: number,
  ): Promise<boolean>;
}

/** A device as a home automation shows it. */
export interface HomeDevice {
  readonly deviceId: number;
  readonly name: string | null;
  /** The last known one. */
  readonly place: {
    readonly lat: number;
    readonly lng: number;
    /** ISO 8601. */
    readonly at: string;
    /** In km/h. */
    readonly speed: number | null;
    /** In degrees clockwise from north. */
    readonly course: number | null;
    /** In metres. */
    readonly accuracy: number | null;
  } | null;
  readonly batteryPct: number | null;
  /** The newest by their types. */
  readonly readings: ReadonlyMap<string, HomeReading>;
}

export interface HomeReading {
  readonly value: unknown;
  /** Epoch milliseconds. */
  readonly timestamp: number;
}

/** The devices of a user for a home automation. */
export interface HomeDevices {
  /** The devices that the user may see now. Fails if that cannot be determined. */
  list(): Promise<readonly HomeDevice[]>;
}

/** Live streams of events. */
export interface LiveStreams {
  /** Refuses a caller with too many streams, and devices that the caller may not see. */
  admit(caller: Caller, devices: readonly number[] | undefined): Promise<void>;
  /**
   * @param wanted `after`: the id of the last event received
   */
  open(caller: Caller, wanted: WantedStream, sink: StreamSink): LiveStream;
}

export interface WantedStream {
  /** Absent: all that the caller may see. */
  readonly devices?: readonly number[];
  readonly after?: string;
  /** Whether it stays open while it has no device, since devices can be added. */
  readonly staysOpen?: boolean;
}

/** An event of a live stream, for sinks that do not speak the event stream format. */
export interface StreamedEvent {
  readonly id: string;
  /** Absent if unknown. */
  readonly name?: string;
  /** JSON. */
  readonly data: string;
  /** The devices it is about. */
  readonly about: readonly number[];
}

export interface StreamSink {
  /** Takes bytes in the event stream format. Returns false if it is full, until it is drained. */
  write(bytes: Uint8Array, event?: StreamedEvent): boolean;
  end(reason: 'left' | 'slow' | 'rights' | 'token' | 'stop' | 'failure'): void;
}

export interface LiveStream {
  drained(): void;
  end(): void;
  /** Of a stream of certain devices: also this one, from now on. The right on it was checked. */
  add(deviceId: number): void;
  remove(deviceId: number): void;
}
