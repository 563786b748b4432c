import { setTimeout as wait } from 'node:timers/promises';
import type { KnownTracker, TrackerReceipt } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import type { Report } from '../../reports.ts';
import { textOf } from '../protocols/claims.ts';
import type { DecodedFrame, EncodedCommand, TrackerCommand, TrackerProtocol } from '../protocols/trackers/tracker.ts';
import type { CommandLine } from './commands.ts';
import { Incoming, type IncomingFrames } from './incoming.ts';
import type { Line, TrackerOffice, TrackerPort } from './office.ts';
import { type ConfirmedCommand, MAX_REPLY, type Owed, settle } from './owed.ts';
import { reportOfRecords } from './report-of-records.ts';
import { NO_MEMORY, type OpenSession, Speaker } from './speaker.ts';
import { Waiting } from './waiting.ts';

const NOTHING = Buffer.alloc(0);
/** Reports of one conversation that are being stored at once. */
const MOST_OWED = 64;
/** Frames of somebody who may not report, before the connection is closed. */
const MOST_REFUSED = 5;
/** Trackers rarely send again what is not answered, so a store in trouble is tried again for a while. */
const PATIENCE_MS = [1000, 2000, 5000, 10_000];
const SILENT_MS = 1000;
const UDP_WAY_MS = 60_000;

/** What is said over one connection, or by one peer of UDP: frames are read, stored, and answered in their order. */
export class Conversation implements CommandLine {
  readonly line: Line;
  heardAt: number;
  readonly openedAt: number;
  readonly #office: TrackerOffice;
  readonly #port: TrackerPort;
  readonly #session: OpenSession;
  readonly #incoming: Incoming;
  readonly #waiting: Waiting;
  #working: Promise<void> | undefined;
  readonly #speaker: Speaker;
  #refused = 0;
  #isOver = false;
  #isStopping = false;
  /** Nothing is said to a device before it has said more than who it is. */
  #mayBeTold = false;

  constructor(office: TrackerOffice, port: TrackerPort, line: Line, now: number) {
    this.#office = office;
    this.#port = port;
    this.#incoming = new Incoming(port, office.protocols, line.transport);
    this.#waiting = new Waiting(line);
    this.line = line;
    this.openedAt = now;
    this.heardAt = now;
    this.#session = {
      transport: line.transport,
      now,
      acceptsWrongChecksum: port.acceptsWrongChecksum ?? false,
      memory: NO_MEMORY,
    };
    this.#speaker = new Speaker(office, this.#session);
  }

  /** Whether it is known who speaks, and that they may. */
  get isKnown(): boolean {
    return this.#known !== undefined;
  }

  /** What is spoken, as far as it was recognised. */
  get protocolName(): string | undefined {
    return this.#protocol?.name;
  }

  protocolFor(deviceId: number): TrackerProtocol | undefined {
    if (!this.#mayBeTold || this.#isOver || this.#isStopping || deviceId !== this.#known?.deviceId) return undefined;
    // Where nothing was heard for a while, datagrams no longer find their way.
    if (this.line.transport === 'udp' && timeNow() - this.heardAt > UDP_WAY_MS) return undefined;
    return this.#protocol;
  }

  encode(command: TrackerCommand): EncodedCommand | undefined {
    return this.#protocol?.encode?.(command, this.#session);
  }

  tell(deviceId: number, bytes: Buffer): boolean {
    if (this.#isOver || deviceId !== this.#known?.deviceId) return false;
    return this.line.send([bytes]);
  }

  hear(bytes: Buffer, now: number): void {
    if (this.#isOver || this.#isStopping) return;
    this.heardAt = now;
    if (this.#working !== undefined) this.#waiting.push(bytes);
    else this.#begin(() => this.#incoming.cut(bytes));
  }

  /** Ends once what is being stored is stored and answered. */
  async finish(): Promise<void> {
    this.#waiting.clear();
    this.line.setReading(false);
    await this.drain();
  }

  /** The same, but for all that was read: nothing more comes. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    while (this.#working !== undefined) await this.#working;
    if (this.#incoming.mayHoldFrame && !this.#isOver) await this.#work(() => this.#incoming.cutRest());
    this.#close();
  }

  /** The other end is gone. */
  ended(): void {
    this.#isOver = true;
    if (this.#known !== undefined) this.#office.commands.left(this.#known.deviceId, this);
    this.#waiting.clear();
    this.#incoming.clear();
  }

  #close(): void {
    this.ended();
    this.line.close();
  }

  /** Takes what is left of a stream for a frame, once the device has been silent: some frames have no end of their own. */
  look(now: number): void {
    if (now - this.heardAt < SILENT_MS || this.#working !== undefined || this.#isOver || this.#isStopping) return;
    if (this.#incoming.mayHoldFrame) this.#begin(() => this.#incoming.cutRest());
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
      // Noted last: the frames may have told whose bytes they are.
      if (lost !== undefined) this.#note('bytes that belong to no frame', lost, now);
      if (unknown === undefined) return;
      this.#note('no protocol begins like this', unknown, now);
      if (this.line.transport === 'tcp') this.#close();
    } catch (error) {
      this.#office.log.error({ error, protocol: this.#protocol?.name }, 'What a tracker sent could not be handled');
      this.#close();
    }
  }

  get #protocol(): TrackerProtocol | undefined {
    return this.#incoming.protocol;
  }

  async #answer(frames: readonly Buffer[], now: number): Promise<void> {
    let owed: Owed[] = [];
    /** An answer may go out at once while none before it waits. */
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
      if (decoded.identities === undefined || decoded.records.length > 0) this.#mayBeTold = true;
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

  /** Decodes a frame and finds out who sent it; undefined where nothing may follow from it. */
  async #read(frame: Buffer, now: number): Promise<DecodedFrame | undefined> {
    const protocol = this.#protocol!;
    let decoded = protocol.decode(frame, this.#session);
    if (decoded.isDamaged) {
      this.#note(decoded.problem ?? 'the checksum is wrong', frame, now);
      return undefined;
    }
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
      this.#note('nobody has said who it is', frame, now);
    return decoded;
  }

  async #identify(decoded: DecodedFrame, now: number): Promise<void> {
    const before = this.#known?.deviceId;
    const { address } = this.line;
    const outcome = await this.#speaker.identify(decoded, {
      protocol: this.#protocol!,
      address,
      mayChange: this.#mayChange,
      now,
    });
    if (outcome === 'another')
      this.#note('another identity on the same connection', NOTHING, now, decoded.identities?.[0]);
    if (outcome !== 'heard') return this.#close();
    if (this.#known !== undefined) this.#refused = 0;
    this.#setLine(before, this.#known?.deviceId);
  }

  get #known(): KnownTracker | undefined {
    return this.#speaker.known;
  }

  #setLine(before: number | undefined, deviceId: number | undefined): void {
    const { commands } = this.#office;
    if (before === deviceId) return;
    if (before !== undefined) commands.left(before, this);
    if (deviceId !== undefined) commands.joined(deviceId, this);
    this.#mayBeTold = false;
  }

  get #mayChange(): boolean {
    return this.#port.isRelay === true || this.line.transport === 'udp';
  }

  /** @param messageId of the message that it is a reply to */
  #reportOf(
    { records, commandReply }: DecodedFrame,
    { deviceId }: KnownTracker,
    frame: Buffer,
    now: number,
    messageId: number | undefined,
  ): Report {
    const report = reportOfRecords(records, { deviceId, now, frame }, this.#office);
    const text = commandReply && textOf(commandReply.text, MAX_REPLY);
    if (text === undefined) return report;
    const message = { message: text, ...(messageId !== undefined && { correlationId: `reply to ${messageId}` }) };
    return { ...report, messages: [message], asSent: () => frame.toString('latin1') };
  }

  /** Another connection may claim the same identity elsewhere. */
  #watchFor(deviceId: number, { points }: Report, now: number): void {
    const last = points.at(-1);
    if (last?.location === undefined || this.line.transport === 'udp') return;
    const { clones, desk } = this.#office;
    const found = clones.saw(deviceId, this, this.line.address, last.location, last.timestamp!, now);
    if (found !== undefined) desk.cloned(found, now);
  }

  #confirmedBy({ commandReply: reply }: DecodedFrame, { deviceId }: KnownTracker): ConfirmedCommand | undefined {
    const messageId = reply && this.#office.commands.replied(deviceId, reply, this.#protocol!);
    return messageId === undefined ? undefined : { deviceId, messageId, reply: reply! };
  }

  /** Undefined where it could not be stored: the device must not be told otherwise. */
  async #store(tracker: KnownTracker, report: Report, now: number): Promise<TrackerReceipt | undefined> {
    const { desk, limit, log } = this.#office;
    const allowance = limit.count(String(tracker.deviceId), now);
    if (allowance.limit > 0 && allowance.remaining < 0) return undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        return await desk.receive(tracker, report, now);
      } catch (error) {
        const patience = PATIENCE_MS[attempt];
        if (!(error instanceof StoreTrouble)) log.error({ error }, 'A report of a tracker could not be stored');
        if (!(error instanceof StoreTrouble) || patience === undefined || this.#isOver) return undefined;
        await wait(patience);
      }
    }
  }

  async #settle(owed: readonly Owed[]): Promise<void> {
    if (!(await settle(owed, this.line, this.#office, () => this.#speaker.forget()))) this.#close();
  }

  #note(problem: string, bytes: Buffer, now: number, name = this.#speaker.name): void {
    this.#office.desk.undecoded({
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
