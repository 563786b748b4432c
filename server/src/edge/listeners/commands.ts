import { POSITION_TYPES } from '@trackway/contract/resources/commands/rtk.ts';
import { isStorableText, parseTime } from '@trackway/contract/values.ts';
import type { ChannelRegistry, CommandToSend, TrackerGateway } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import type { ReportedRtk, RtkLogLine } from '../../reports.ts';
import {
  COMMAND_NAMES,
  type CommandName,
  type CommandReply,
  type TrackerCommand,
  type TrackerProtocol,
} from '../protocols/trackers/tracker.ts';
import { CommandChannels, type CommandLine } from './command-channels.ts';

interface UnderWay {
  readonly messageId: number;
  /** A reply counts only if it arrives over the same connection. */
  readonly line: CommandLine;
  readonly correlation: string | undefined;
  readonly at: number;
  /** Whether no command waits for its reply any more. */
  isLate: boolean;
}

/** How long the next command waits for the reply to this one, if replies do not identify their command. */
const REPLY_MS = 60_000;
/** A later reply is stored as an ordinary message. */
const FORGET_MS = 600_000;
/** Channels that are registered for other nodes in one round. */
const MOST_REGISTERED = 500;
/** So many may be under way where replies name their command. */
const MOST_UNDER_WAY = 8;

/** Sends messages to connected devices, and assigns replies to them. */
export class TrackerCommands {
  readonly #gateway: TrackerGateway;
  readonly #channels: CommandChannels;
  readonly #underWay = new Map<number, UnderWay[]>();
  /** Devices that messages are being sent to, and whether more have arrived meanwhile. */
  readonly #sending = new Map<number, boolean>();
  readonly #failed: (error: unknown) => void;
  /** Until when the channels of devices are registered for this node. */
  readonly #registered = new Map<number, number>();
  #registering: Promise<void> | undefined;
  /** What is said to other nodes, in its order. */
  #asking: Promise<void> = Promise.resolve();

  constructor(gateway: TrackerGateway, failed: (error: unknown) => void) {
    this.#gateway = gateway;
    this.#channels = new CommandChannels(gateway);
    this.#failed = failed;
  }

  /**
   * Records a frame of the device over this connection. True if it is the first one.
   * @param refusal why the connection receives no commands
   */
  spoke(deviceId: number, line: CommandLine, refusal: string | undefined, now: number): boolean {
    return this.#channels.spoke(deviceId, line, refusal, now);
  }

  left(deviceId: number, line: CommandLine): void {
    const hasOthers = this.#channels.left(deviceId, line);
    // No reply to what was sent over it can arrive any more.
    this.#keepUnderWay(deviceId, (one) => one.line !== line);
    if (!this.#isHeldHere(deviceId) && this.#registered.delete(deviceId))
      this.#later((channels) => channels.leave(deviceId, timeNow()));
    // Messages that were held because of two connections can be sent now.
    if (hasOthers) this.wake(deviceId);
  }

  /** Ends all connections of a device, at every node: the next one receives its commands. */
  release(deviceId: number): void {
    // Before the connections here are closed, so that no connection at another node takes their place.
    if (this.#others) this.#later((channels) => channels.ask(deviceId, 'release', timeNow()));
    this.#releaseHere(deviceId);
  }

  #releaseHere(deviceId: number, joinedUntil = Number.POSITIVE_INFINITY): void {
    for (const line of this.#channels.linesOf(deviceId, joinedUntil)) line.release();
  }

  /** Something waits for a device: it is sent if the device is connected to a node, and else at its next word. */
  wake(deviceId: number): void {
    const now = timeNow();
    if (this.#channels.has(deviceId)) this.offer(deviceId, now).catch(this.#failed);
    if (this.#others && (!this.#isHeldHere(deviceId, now) || this.#channels.isElsewhere(deviceId)))
      this.#later((channels) => channels.ask(deviceId, 'send', now));
  }

  /** Resolves once the other nodes know all of this one. */
  async settled(): Promise<void> {
    await this.#registering?.catch(() => {});
    await this.#asking;
  }

  #isHeldHere(deviceId: number, now = timeNow()): boolean {
    return this.#channels.heldUntil(deviceId, now) !== undefined;
  }

  #later(ask: (channels: ChannelRegistry) => Promise<void>): void {
    this.#asking = this.#asking.then(() => ask(this.#gateway.channels!)).catch(this.#failed);
  }

  get #others(): ChannelRegistry | undefined {
    return this.#gateway.channels?.isNeeded() ? this.#gateway.channels : undefined;
  }

  /** Lets the other nodes know which devices are connected here, and does what they asked. */
  register(now: number): Promise<void> {
    this.#registering ??= this.#register(now).finally(() => {
      this.#registering = undefined;
    });
    return this.#registering;
  }

  async #register(now: number): Promise<void> {
    const others = this.#others;
    if (others === undefined) return this.#alone(now);
    let count = 0;
    for (const { deviceId, until } of this.#channels.held(now)) {
      const known = this.#registered.get(deviceId);
      const wasElsewhere = this.#channels.isElsewhere(deviceId);
      const isDue = known === undefined || known - now < (until - now) / 2 || wasElsewhere;
      if (!isDue || count++ >= MOST_REGISTERED) continue;
      await this.#hold(others, deviceId, until, now);
      // Another node could not ask before, or its connection is gone.
      if (known === undefined || (wasElsewhere && !this.#channels.isElsewhere(deviceId))) this.wake(deviceId);
    }
    for (const { deviceId, asked, askedAt } of await others.asked(now)) {
      if (asked === 'release') this.#releaseHere(deviceId, askedAt);
      else if (asked === 'send') this.wake(deviceId);
      else {
        for (const line of this.#channels.linesOf(deviceId)) line.probe();
        this.#channels.registered(deviceId, { state: 'contested', until: now }, now);
      }
    }
  }

  /** The other nodes are gone. */
  #alone(now: number): void {
    for (const deviceId of this.#channels.elsewhere) {
      this.#channels.registered(deviceId, { state: 'held', until: now }, now);
      this.wake(deviceId);
    }
  }

  async #hold(others: ChannelRegistry, deviceId: number, until: number, now: number): Promise<void> {
    const state = await others.hold({ deviceId, until }, now);
    // It may have been closed meanwhile.
    if (!this.#channels.has(deviceId)) return others.leave(deviceId, now);
    this.#registered.set(deviceId, until);
    this.#channels.registered(deviceId, state, now);
    if (state.releasedAt !== undefined) this.#releaseHere(deviceId, state.releasedAt);
  }

  /** Holds the channel of a connected device; false where this is the only node. */
  async #holdAmongOthers(deviceId: number, now: number): Promise<boolean> {
    const others = this.#others;
    const until = others && this.#channels.heldUntil(deviceId, now);
    if (until !== undefined) await this.#hold(others!, deviceId, until, now);
    return others !== undefined;
  }

  /** Sends the waiting messages of a connected device. */
  async offer(deviceId: number, now: number): Promise<void> {
    if (this.#sending.has(deviceId)) {
      this.#sending.set(deviceId, true);
      return;
    }
    this.#sending.set(deviceId, false);
    try {
      // Another node may have taken it since the last round.
      let isAlone = !(await this.#holdAmongOthers(deviceId, now));
      for (;;) {
        const addressed = this.#channels.addressed(deviceId, now);
        if (addressed === undefined) return;
        if ('held' in addressed) {
          if (await this.#gateway.commandsHeld(deviceId, addressed.held)) this.#channels.notifyOfContest(deviceId, now);
          return;
        }
        const { line } = addressed;
        const { known } = line;
        const protocol = line.protocolFor(deviceId);
        if (protocol === undefined || known === undefined || !this.#hasRoom(deviceId, protocol)) return;
        const next = await this.#gateway.nextCommand(known, line.link, now);
        if (next === undefined && !this.#sending.get(deviceId)) return;
        this.#sending.set(deviceId, false);
        // A node that joined a moment ago may have the connection of the device.
        if (next !== undefined && isAlone && (await this.#gateway.channels?.isNeededNow())) {
          await this.#gateway.commandReturned(next.messageId);
          isAlone = !(await this.#holdAmongOthers(deviceId, now));
          continue;
        }
        if (next !== undefined && !(await this.#send(deviceId, line, next, now))) return;
      }
    } finally {
      this.#sending.delete(deviceId);
    }
  }

  /** Returns the message that a reply belongs to. */
  replied(
    deviceId: number,
    line: CommandLine,
    reply: CommandReply,
    { repliesNameCommand }: TrackerProtocol,
  ): number | undefined {
    const underWay = this.#underWay.get(deviceId);
    const own = underWay?.filter((one) => one.line === line) ?? [];
    // Clones omit the name of the command; if only one is in progress, the reply belongs to it.
    const isNamed = repliesNameCommand && (reply.correlation !== undefined || own.length > 1);
    const found = isNamed
      ? own.find(({ correlation }) => correlation !== undefined && correlation === reply.correlation)
      : own[0];
    if (found === undefined) return undefined;
    this.#keepUnderWay(deviceId, (one) => one !== found);
    return found.messageId;
  }

  /** Continues with the next command if a reply is overdue. */
  sweep(now: number): void {
    for (const [deviceId, underWay] of this.#underWay) {
      for (const one of underWay) {
        if (one.isLate || now - one.at < REPLY_MS) continue;
        one.isLate = true;
        this.wake(deviceId);
      }
      this.#keepUnderWay(deviceId, ({ at }) => now - at < FORGET_MS);
    }
  }

  #keepUnderWay(deviceId: number, isKept: (one: UnderWay) => boolean): void {
    const kept = this.#underWay.get(deviceId)?.filter(isKept) ?? [];
    if (kept.length === 0) this.#underWay.delete(deviceId);
    else this.#underWay.set(deviceId, kept);
  }

  #hasRoom(deviceId: number, { repliesNameCommand }: TrackerProtocol): boolean {
    const waiting = this.#underWay.get(deviceId)?.filter(({ isLate }) => !isLate).length ?? 0;
    return waiting < (repliesNameCommand ? MOST_UNDER_WAY : 1);
  }

  /** Whether another one may follow. */
  async #send(deviceId: number, line: CommandLine, next: CommandToSend, now: number): Promise<boolean> {
    const { messageId } = next;
    // The device of the connection may have changed meanwhile.
    if (line.protocolFor(deviceId) === undefined) {
      await this.#gateway.commandReturned(messageId);
      return false;
    }
    const command = commandOf(next);
    const encoded = command && line.encode(command);
    if (encoded === undefined) {
      await this.#gateway.commandFailed(deviceId, messageId, 'unsupported', now);
      return true;
    }
    if (!line.sendCommand(deviceId, encoded.bytes)) {
      await this.#gateway.commandReturned(messageId);
      return false;
    }
    if (encoded.isSilent) {
      await this.#gateway.commandConfirmed(deviceId, messageId, undefined, now);
      return true;
    }
    const underWay = this.#underWay.get(deviceId);
    const one = { messageId, line, correlation: encoded.correlation, at: now, isLate: false };
    if (underWay === undefined) this.#underWay.set(deviceId, [one]);
    else underWay.push(one);
    return true;
  }
}

function commandOf({ messageId, text, command }: CommandToSend): TrackerCommand | undefined {
  if (command === undefined) return text === undefined ? undefined : { text, number: messageId };
  const { name, parameters } = command;
  return isCommandName(name) ? { name, parameters, number: messageId } : undefined;
}

const isCommandName = (name: string): name is CommandName => (COMMAND_NAMES as readonly string[]).includes(name);

/** Parses the RTK receiver's part of a report. Unreadable values are left out. */

type Json = Record<string, unknown>;

const MOST_LINES = 1000;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function rtkOf(sent: Json): ReportedRtk {
  const location = placeOf(isObject(sent.location) ? sent.location : {});
  const accuracy = numberOf(sent.accuracy);
  const currentBaseId = wholeOf(sent.baseId);
  const msgMask = wholeOf(sent.msgMask);
  const group = textOf(sent.group, 100);
  const log = Array.isArray(sent.log) ? sent.log.slice(-MOST_LINES).filter(isObject).map(lineOf) : [];
  return {
    positionType: positionOf(sent.positionType) ?? 'invalid',
    ...(location && { location }),
    ...(accuracy !== null && { accuracy }),
    ...(currentBaseId !== null && { currentBaseId }),
    ...(msgMask !== null && { msgMask }),
    ...(group !== null && { group }),
    log,
  };
}

function lineOf(sent: Json): RtkLogLine {
  const place = placeOf(isObject(sent.location) ? sent.location : sent);
  return {
    timestamp: parseTime(sent.timestamp),
    msgType: textOf(sent.msgType, 100),
    baseStationId: wholeOf(sent.baseStationId),
    locationType: positionOf(sent.locationType) ?? null,
    accuracy: numberOf(sent.accuracy),
    lat: place?.lat ?? null,
    lng: place?.lng ?? null,
    linkQuality: numberOf(sent.linkQuality),
    toAddress: textOf(sent.toAddress, 100),
    fromAddress: textOf(sent.fromAddress, 100),
    info: textOf(sent.info, 1000),
  };
}

const MOST_INTEGER = 2_147_483_647;

const numberOf = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e12 ? value : null;
const wholeOf = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MOST_INTEGER ? value : null;
const textOf = (value: unknown, most: number) => {
  const text =
    typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, most).toWellFormed() : null;
  return text !== null && isStorableText(text) ? text : null;
};
const positionOf = (value: unknown) => POSITION_TYPES.find((type) => type === value);

function placeOf({ lat, lng }: Json): { lat: number; lng: number } | undefined {
  const isPlace = typeof lat === 'number' && typeof lng === 'number' && Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
  return isPlace ? { lat, lng } : undefined;
}
