import { setTimeout as wait } from 'node:timers/promises';
import type { KnownTracker, TrackerLink, TrackerReceipt } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import type { Report } from '../../reports.ts';
import { textOf } from '../protocols/claims.ts';
import type { DecodedFrame, EncodedCommand, TrackerCommand, TrackerProtocol } from '../protocols/trackers/tracker.ts';
import type { CommandLine } from './command-channels.ts';
import type { Line, ListenerContext, TrackerPort } from './context.ts';
import { Incoming, type IncomingFrames } from './incoming.ts';
import { type ConfirmedCommand, MAX_REPLY, type Owed, settle, Waiting } from './owed.ts';
import { reportOfRecords } from './report-of-records.ts';
import { NO_MEMORY, type OpenSession, Speaker } from './speaker.ts';

const NOTHING = Buffer.alloc(0);
/** Maximum number of reports of one conversation that are stored concurrently. */
const MOST_OWED = 64;
/** Maximum number of frames of a rejected device before the connection is closed. */
const MOST_REFUSED = 5;
/** Trackers rarely repeat unanswered data, so a failing store is retried for a while. */
const PATIENCE_MS = [1000, 2000, 5000, 10_000];
const SILENT_MS = 1000;
const UDP_WAY_MS = 60_000;
/** A connection is closed after this many bytes without a readable frame. */
const MOST_UNREADABLE_BYTES = 64 * 1024;
/** Delay before commands are sent to a device that only logged in, so that it can read the response first. */
const AFTER_LOGIN_MS = 500;

/** The exchange over one connection, or with one UDP peer: frames are decoded, stored, and answered in order. */
export class Conversation implements CommandLine {
  readonly line: Line;
  lastDataAt: number;
  readonly openedAt: number;
  readonly #context: ListenerContext;
  readonly #port: TrackerPort;
  readonly #session: OpenSession;
  readonly #incoming: Incoming;
  readonly #waiting: Waiting;
  #working: Promise<void> | undefined;
  readonly #speaker: Speaker;
  #refused = 0;
  /** Bytes since the last readable frame. */
  #unreadable = 0;
  #isOver = false;
  #isStopping = false;
  /** Time of the first identification; undefined if no device is known. */
  #namedAt: number | undefined;
  /** No command is sent right after a login. */
  #mayReceiveCommands = false;
  /** The devices whose commands this connection may receive; one, except for relays and UDP. */
  readonly #claimed: number[] = [];

  constructor(context: ListenerContext, port: TrackerPort, line: Line, now: number) {
    this.#context = context;
    this.#port = port;
    this.#incoming = new Incoming(port, context.protocols, line.transport);
    this.#waiting = new Waiting(line);
    this.line = line;
    this.openedAt = now;
    this.lastDataAt = now;
    this.#session = {
      transport: line.transport,
      now,
      acceptsWrongChecksum: port.acceptsWrongChecksum ?? false,
      memory: NO_MEMORY,
    };
    this.#speaker = new Speaker(context, this.#session);
  }

  /** Whether the device is known and may report. */
  get isKnown(): boolean {
    return this.#known !== undefined;
  }

  /** The recognised protocol. */
  get protocolName(): string | undefined {
    return this.#protocol?.name;
  }

  get known(): KnownTracker | undefined {
    return this.#speaker.known;
  }

  get transport(): TrackerLink['transport'] {
    return this.line.transport;
  }

  get link(): TrackerLink {
    return { protocol: this.#protocol?.name ?? 'unknown', transport: this.line.transport, address: this.line.address };
  }

  probe(): void {
    this.line.probe?.();
  }

  release(): void {
    this.#close();
  }

  protocolFor(deviceId: number): TrackerProtocol | undefined {
    if (!this.#mayReceiveCommands || this.#isOver || this.#isStopping || deviceId !== this.#known?.deviceId)
      return undefined;
    // After a period of silence, NAT mappings expire and datagrams no longer arrive.
    if (this.line.transport === 'udp' && timeNow() - this.lastDataAt > UDP_WAY_MS) return undefined;
    return this.#protocol;
  }

  encode(command: TrackerCommand): EncodedCommand | undefined {
    return this.#protocol?.encode?.(command, this.#session);
  }

  sendCommand(deviceId: number, bytes: Buffer): boolean {
    if (this.#isOver || deviceId !== this.#known?.deviceId) return false;
    return this.line.send([bytes]);
  }

  hear(bytes: Buffer, now: number): void {
    if (this.#isOver || this.#isStopping) return;
    this.lastDataAt = now;
    this.#unreadable += bytes.length;
    if (this.#working !== undefined) this.#waiting.push(bytes);
    else this.#begin(() => this.#incoming.cut(bytes));
  }

  /** Resolves when reports in progress are stored and answered. */
  async finish(): Promise<void> {
    this.#waiting.clear();
    this.line.setReading(false);
    await this.drain();
  }

  /** The same for all bytes that were read; no more are read. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    while (this.#working !== undefined) await this.#working;
    if (this.#incoming.mayHoldFrame && !this.#isOver) await this.#work(() => this.#incoming.cutRemaining());
    if (!this.#isOver && this.#incoming.remaining.length > 0)
      this.#note('the connection ended within a frame', this.#incoming.remaining, timeNow());
    this.#close();
  }

  /** The other end has closed the connection. */
  ended(): void {
    this.#isOver = true;
    for (const deviceId of this.#claimed.splice(0)) this.#context.commands.left(deviceId, this);
    this.#waiting.clear();
    this.#incoming.clear();
  }

  #close(): void {
    this.ended();
    this.line.close();
  }

  /** Treats the remaining bytes of a stream as a frame after the device became silent: some frames have no end mark. */
  look(now: number): void {
    if (!this.#mayReceiveCommands && this.#namedAt !== undefined && now - this.#namedAt >= AFTER_LOGIN_MS) {
      this.#mayReceiveCommands = true;
      if (this.#known !== undefined) this.#context.commands.wake(this.#known.deviceId);
    }
    if (now - this.lastDataAt < SILENT_MS || this.#working !== undefined || this.#isOver || this.#isStopping) return;
    if (this.#incoming.mayHoldFrame) this.#begin(() => this.#incoming.cutRemaining());
  }

  #begin(cut: () => IncomingFrames): void {
    this.#working = this.#work(cut).then(() => {
      this.#working = undefined;
      const next = this.#waiting.next();
      if (next !== undefined) this.#begin(() => this.#incoming.cut(next));
    });
  }

  async #work(cut: () => IncomingFrames): Promise<void> {
    try {
      const now = timeNow();
      this.#session.now = now;
      const { frames, lost, unknown } = cut();
      if (frames.length > 0) await this.#answer(frames, now);
      // Recorded last: the frames may have identified the sender of these bytes.
      if (lost !== undefined) this.#note('bytes outside of frames', lost, now);
      if (this.line.transport === 'tcp' && this.#unreadable > MOST_UNREADABLE_BYTES + this.#longestFrame) {
        this.#note('too many bytes outside of frames', this.#incoming.remaining, now);
        return this.#close();
      }
      if (unknown === undefined) return;
      this.#note('no known protocol begins with these bytes', unknown, now);
      if (this.line.transport === 'tcp') this.#close();
    } catch (error) {
      this.#context.log.error({ error, protocol: this.#protocol?.name }, 'Data of a tracker could not be processed');
      this.#close();
    }
  }

  get #longestFrame(): number {
    return this.#protocol?.maxFrameBytes ?? 0;
  }

  get #protocol(): TrackerProtocol | undefined {
    return this.#incoming.protocol;
  }

  async #answer(frames: readonly Buffer[], now: number): Promise<void> {
    let owed: Owed[] = [];
    /** A response may be sent at once if no earlier one is waiting. */
    let isFree = true;
    for (const frame of frames) {
      if (owed.length >= MOST_OWED) {
        await this.#settle(owed);
        owed = [];
        isFree = true;
      }
      if (this.#isOver) return;
      const decoded = await this.#read(frame, now);
      if (decoded === undefined) continue;
      const { reply } = decoded;
      const tracker = this.#known;
      if (tracker === undefined) {
        this.#refused++;
        owed.push({ refusal: reply?.refusal });
        if (this.#refused >= MOST_REFUSED) break;
        continue;
      }
      // A heartbeat may look like a login, so any second frame opens the channel too.
      if (decoded.identities === undefined || decoded.records.length > 0 || this.#namedAt !== undefined)
        this.#mayReceiveCommands = true;
      this.#namedAt ??= now;
      const isNew = this.#context.commands.spoke(tracker.deviceId, this, tracker.commandRefusal, now);
      if (isNew && !this.#claimed.includes(tracker.deviceId)) this.#claimed.push(tracker.deviceId);
      const confirmed = this.#confirmedBy(decoded, tracker);
      const report = this.#reportOf(decoded, tracker, frame, now, confirmed?.messageId);
      const receiving = this.#store(tracker, report, now);
      this.#watchFor(tracker.deviceId, report, now);
      if (reply?.when === 'now' && isFree) {
        this.line.send([reply.bytes]);
        owed.push({ deviceId: tracker.deviceId, receiving, ...(confirmed && { confirmed }) });
      } else {
        if (reply !== undefined) isFree = false;
        owed.push({
          deviceId: tracker.deviceId,
          receiving,
          answer: reply?.bytes,
          refusal: reply?.refusal,
          ...(confirmed && { confirmed }),
        });
      }
    }
    await this.#settle(owed);
    if (this.#refused >= MOST_REFUSED) this.#close();
  }

  /** Decodes a frame and identifies its sender; undefined if the frame must be ignored. */
  async #read(frame: Buffer, now: number): Promise<DecodedFrame | undefined> {
    const protocol = this.#protocol!;
    let decoded = protocol.decode(frame, this.#session);
    if (decoded.isDamaged) {
      this.#note(decoded.problem ?? 'the checksum is wrong', frame, now);
      return undefined;
    }
    // Unsupported content with a response, such as a photograph, is not garbage.
    const isAnswered = decoded.reply !== undefined && !decoded.isUnreadable;
    if (decoded.problem === undefined || isAnswered || decoded.records.length > 0) this.#unreadable = 0;
    const before = this.#known;
    if (!this.#speaker.isFresh(decoded, now)) await this.#identify(decoded, now);
    if (this.#isOver) return undefined;
    const known = this.#known;
    if (known !== before && (known?.timeZone !== undefined || known?.model !== undefined))
      decoded = protocol.decode(frame, this.#session);
    const { remember, problem, records } = decoded;
    if (remember !== undefined) this.#session.memory = { ...this.#session.memory, ...remember };
    if (problem !== undefined) this.#note(problem, frame, now);
    else if (this.#speaker.name === undefined && records.length > 0)
      this.#note('the device is not identified', frame, now);
    return decoded;
  }

  async #identify(decoded: DecodedFrame, now: number): Promise<void> {
    const before = this.#known?.deviceId;
    const { address } = this.line;
    const outcome = await this.#speaker.identify(decoded, {
      protocol: this.#protocol!,
      transport: this.line.transport,
      address,
      mayChange: this.#mayChange,
      now,
    });
    if (outcome === 'another')
      this.#note('another identity on the same connection', NOTHING, now, decoded.identities?.[0]);
    if (outcome !== 'accepted') return this.#close();
    if (this.#known !== undefined) this.#refused = 0;
    if (before === this.#known?.deviceId) return;
    this.#namedAt = undefined;
    this.#mayReceiveCommands = false;
  }

  get #known(): KnownTracker | undefined {
    return this.#speaker.known;
  }

  get #mayChange(): boolean {
    return this.#port.isRelay === true || this.line.transport === 'udp';
  }

  /** @param messageId of the command that it is a reply to */
  #reportOf(
    { records, commandReply }: DecodedFrame,
    { deviceId }: KnownTracker,
    frame: Buffer,
    now: number,
    messageId: number | undefined,
  ): Report {
    const report = reportOfRecords(records, { deviceId, now, frame }, this.#context);
    const text = commandReply && textOf(commandReply.text, MAX_REPLY);
    if (text === undefined) return report;
    const message = { message: text, ...(messageId !== undefined && { correlationId: `reply to ${messageId}` }) };
    return { ...report, messages: [message], asSent: () => frame.toString('latin1') };
  }

  /** Another connection may use the same identity elsewhere. */
  #watchFor(deviceId: number, { points }: Report, now: number): void {
    const last = points.at(-1);
    if (last?.location === undefined || this.line.transport === 'udp') return;
    const { clones, gateway } = this.#context;
    const found = clones.saw(deviceId, this, this.line.address, last.location, last.timestamp!, now);
    if (found !== undefined) gateway.cloned(found, now);
  }

  #confirmedBy({ commandReply: reply }: DecodedFrame, { deviceId }: KnownTracker): ConfirmedCommand | undefined {
    const messageId = reply && this.#context.commands.replied(deviceId, this, reply, this.#protocol!);
    return messageId === undefined ? undefined : { deviceId, messageId, reply: reply! };
  }

  /** Undefined if storing failed: then the device must not get a confirmation. */
  async #store(tracker: KnownTracker, report: Report, now: number): Promise<TrackerReceipt | undefined> {
    const { gateway, limit, log } = this.#context;
    const allowance = limit.count(String(tracker.deviceId), now);
    if (allowance.limit > 0 && allowance.remaining < 0) return undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        return await gateway.receive(tracker, report, now);
      } catch (error) {
        const patience = PATIENCE_MS[attempt];
        if (!(error instanceof StoreTrouble)) log.error({ error }, 'A report of a tracker could not be stored');
        if (!(error instanceof StoreTrouble) || patience === undefined || this.#isOver) return undefined;
        await wait(patience);
      }
    }
  }

  async #settle(owed: readonly Owed[]): Promise<void> {
    if (!(await settle(owed, this.line, this.#context, () => this.#speaker.forget()))) this.#close();
  }

  #note(problem: string, bytes: Buffer, now: number, name = this.#speaker.name): void {
    this.#context.gateway.undecoded({
      protocol: this.#protocol?.name ?? 'unknown',
      ...(this.#known !== undefined && { deviceId: this.#known.deviceId }),
      ...(name !== undefined && { name }),
      address: this.line.address,
      problem,
      bytes,
      now,
    });
  }
}
