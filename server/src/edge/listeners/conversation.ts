import { setTimeout as wait } from 'node:timers/promises';
import type { KnownTracker, TrackerReceipt } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import type { Report } from '../../reports.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { textOf } from '../protocols/claims.ts';
import type {
  CommandReply,
  DecodedFrame,
  EncodedCommand,
  Split,
  TrackerCommand,
  TrackerProtocol,
  TrackerSession,
} from '../protocols/trackers/tracker.ts';
import type { Clones } from './clones.ts';
import type { CommandLine, TrackerCommands } from './commands.ts';
import { recognise, recogniseDatagram } from './recognise.ts';
import { reportOfRecords } from './report-of-records.ts';
import { NO_MEMORY, type OpenSession, Speaker, type SpeakerOffice } from './speaker.ts';
import type { StandingAlarms } from './standing-alarms.ts';

/** What all conversations share. */
export interface TrackerOffice extends SpeakerOffice {
  readonly protocols: readonly TrackerProtocol[];
  /** Frames per minute allowed for each device. */
  readonly limit: RateLimit;
  readonly alarms: StandingAlarms;
  readonly commands: TrackerCommands;
  readonly clones: Clones;
  readonly log: Pick<Log, 'error' | 'warn'>;
}

/** What the operator said of a port. */
export interface TrackerPort {
  /** Absent: whoever speaks is recognised. */
  readonly protocol?: TrackerProtocol | undefined;
  /** One connection may speak for many devices. */
  readonly isRelay?: boolean | undefined;
  readonly acceptsWrongChecksum?: boolean | undefined;
}

/** The other end of a conversation. */
export interface Line {
  readonly address: string;
  readonly transport: TrackerSession['transport'];
  /** Sends answers in their order; false where it is closed. */
  send(answers: readonly Buffer[]): boolean;
  close(): void;
  /** Whether more is read from it. */
  setReading(isReading: boolean): void;
}

/** An answer that waits for its turn. */
interface Owed {
  readonly deviceId?: number;
  readonly receiving?: Promise<TrackerReceipt | undefined>;
  readonly answer?: Buffer | undefined;
  readonly refusal?: Buffer | undefined;
  /** A reply, and the message that it is to. */
  readonly confirmed?: { readonly deviceId: number; readonly messageId: number; readonly reply: CommandReply };
}

interface Cut {
  readonly frames: readonly Buffer[];
  readonly lost?: Buffer;
}

const NO_FRAMES: Cut = { frames: [] };
const MAX_REPLY = 10_000;
const NOTHING = Buffer.alloc(0);
/** What is read ahead while reports are being stored. */
const MOST_WAITING_BYTES = 64 * 1024;
const MOST_WAITING_DATAGRAMS = 32;
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
  #protocol: TrackerProtocol | undefined;
  /** The beginning of a frame that is not whole yet. */
  #rest: Buffer = NOTHING;
  /** How much of it was looked at in the silence since. */
  #looked = 0;
  #waiting: Buffer[] | undefined;
  #waitingBytes = 0;
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
    this.#protocol = port.protocol;
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
    if (this.#working !== undefined) this.#keepWaiting(bytes);
    else this.#begin(bytes);
  }

  /** Ends once what is being stored is stored and answered. */
  async finish(): Promise<void> {
    this.#waiting = undefined;
    this.line.setReading(false);
    await this.drain();
  }

  /** The same, but for all that was read: nothing more comes. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    while (this.#working !== undefined) await this.#working;
    this.#close();
  }

  /** The other end is gone. */
  ended(): void {
    this.#isOver = true;
    if (this.#known !== undefined) this.#office.commands.left(this.#known.deviceId, this);
    this.#waiting = undefined;
    this.#rest = NOTHING;
  }

  #close(): void {
    this.ended();
    this.line.close();
  }

  #keepWaiting(bytes: Buffer): void {
    this.#waiting ??= [];
    const waiting = this.#waiting;
    if (this.line.transport === 'udp' && waiting.length >= MOST_WAITING_DATAGRAMS) return;
    waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > MOST_WAITING_BYTES) this.line.setReading(false);
  }

  #nextWaiting(): Buffer | undefined {
    const waiting = this.#waiting;
    if (waiting === undefined) return undefined;
    if (this.line.transport === 'udp' && waiting.length > 1) return waiting.shift();
    this.#waiting = undefined;
    if (this.#waitingBytes > MOST_WAITING_BYTES) this.line.setReading(true);
    this.#waitingBytes = 0;
    return waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
  }

  /** Takes what is left of a stream for a frame, once the device has been silent: some frames have no end of their own. */
  look(now: number): void {
    const isDue = this.#rest.length > this.#looked && now - this.heardAt >= SILENT_MS;
    if (!isDue || this.#working !== undefined || this.#isOver || this.#isStopping) return;
    this.#looked = this.#rest.length;
    if (this.#protocol?.splitRest !== undefined) this.#begin(NOTHING, true);
  }

  #begin(bytes: Buffer, isSilent = false): void {
    this.#working = this.#work(bytes, isSilent).then(() => {
      this.#working = undefined;
      const next = this.#nextWaiting();
      if (next !== undefined) this.#begin(next);
    });
  }

  async #work(bytes: Buffer, isSilent: boolean): Promise<void> {
    try {
      const now = timeNow();
      this.#session.now = now;
      const { frames, lost } = this.#cut(bytes, now, isSilent);
      if (frames.length > 0) await this.#answer(frames, now);
      // Noted last: the frames may have told whose bytes they are.
      if (lost !== undefined) this.#note('bytes that belong to no frame', lost, now);
    } catch (error) {
      this.#office.log.error({ error, protocol: this.#protocol?.name }, 'What a tracker sent could not be handled');
      this.#close();
    }
  }

  /** The frames of a stream, or of a datagram; and all of it, where some of it belongs to no frame. */
  #cut(bytes: Buffer, now: number, isSilent: boolean): Cut {
    const isStream = this.line.transport === 'tcp';
    const stream = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#rest = NOTHING;
    const protocol = this.#protocolOf(stream, now);
    if (protocol === undefined) return NO_FRAMES;
    const { frames, rest, skipped } = this.#split(protocol, stream, isSilent);
    if (!isSilent) this.#looked = 0;
    if (isStream && rest.length > 0) this.#rest = keptApart(rest);
    return skipped > 0 || (!isStream && rest.length > 0) ? { frames, lost: stream } : { frames };
  }

  #split(protocol: TrackerProtocol, stream: Buffer, isSilent: boolean): Split {
    if (isSilent) return protocol.splitRest!(stream);
    if (this.line.transport === 'udp' && protocol.splitDatagram !== undefined) return protocol.splitDatagram(stream);
    return protocol.split(stream);
  }

  #protocolOf(start: Buffer, now: number): TrackerProtocol | undefined {
    const { protocols } = this.#office;
    if (this.line.transport === 'udp') {
      if (this.#port.protocol !== undefined) return this.#port.protocol;
      const found = recogniseDatagram(protocols, start);
      if (found === undefined) this.#note('no protocol begins like this', start, now);
      this.#protocol = found;
      return found;
    }
    if (this.#protocol !== undefined) return this.#protocol;
    const found = recognise(protocols, start);
    if (found === 'more') this.#rest = keptApart(start);
    else if (found !== undefined) this.#protocol = found;
    else {
      this.#note('no protocol begins like this', start, now);
      this.#close();
    }
    return this.#protocol;
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
    const report = reportOfRecords(records, { deviceId, now, frame }, this.#office.alarms);
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

  #confirmedBy({ commandReply: reply }: DecodedFrame, { deviceId }: KnownTracker): Owed['confirmed'] {
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

  /** Sends each answer once what it confirms is durable, and none before an earlier one. */
  async #settle(owed: readonly Owed[]): Promise<void> {
    const answers: Buffer[] = [];
    /** Devices for which something waits; mostly none. */
    let waiting: Set<number> | undefined;
    for (const { receiving, answer, refusal, confirmed, deviceId } of owed) {
      const receipt = await receiving;
      if (receiving !== undefined && receipt === undefined) {
        // What came before it is durable. The rest is sent again over the next connection.
        if (answers.length > 0) this.line.send(answers);
        this.#close();
        return;
      }
      if (receipt?.outcome === 'gone') this.#speaker.forget();
      const said = receiving === undefined || receipt!.outcome === 'gone' ? refusal : answer;
      if (said !== undefined) answers.push(said);
      if (confirmed !== undefined) await this.#confirm(confirmed);
      if (deviceId !== undefined && (receipt?.hasPending || confirmed !== undefined)) {
        waiting ??= new Set();
        waiting.add(deviceId);
      }
    }
    if (answers.length > 0) this.line.send(answers);
    if (waiting !== undefined) for (const deviceId of waiting) await this.#office.commands.offer(deviceId, timeNow());
  }

  #confirm({ deviceId, messageId, reply }: NonNullable<Owed['confirmed']>): Promise<void> {
    const said = { text: textOf(reply.text, MAX_REPLY) ?? '', isFailure: reply.isFailure ?? false };
    return this.#office.desk.commandConfirmed(deviceId, messageId, said, timeNow());
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

/** A copy, so that a few bytes do not keep a whole read in memory. */
function keptApart(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
