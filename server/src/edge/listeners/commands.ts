import type { CommandToSend, TrackerDesk } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import {
  COMMAND_NAMES,
  type CommandName,
  type CommandReply,
  type EncodedCommand,
  type TrackerCommand,
  type TrackerProtocol,
} from '../protocols/trackers/tracker.ts';

/** A connection over which a device can be told something now. */
export interface CommandLine {
  /** Undefined while this device can not be told anything over it. */
  protocolFor(deviceId: number): TrackerProtocol | undefined;
  /** Undefined where the protocol can not say it. */
  encode(command: TrackerCommand): EncodedCommand | undefined;
  /** False where it could not be written. */
  tell(deviceId: number, bytes: Buffer): boolean;
}

interface UnderWay {
  readonly messageId: number;
  readonly correlation: string | undefined;
  readonly at: number;
  /** Whether nothing waits for its reply any more. */
  isLate: boolean;
}

/** How long the next command waits for the reply to one, where replies do not name theirs. */
const REPLY_MS = 60_000;
/** A reply that comes later is a message like others. */
const FORGET_MS = 600_000;
/** So many may be under way where replies name their command. */
const MOST_UNDER_WAY = 8;

/** Sends messages down to the devices that are connected, and finds out which of them a reply is to. */
export class TrackerCommands {
  readonly #desk: TrackerDesk;
  readonly #lines = new Map<number, CommandLine>();
  readonly #underWay = new Map<number, UnderWay[]>();
  /** The devices that are being told something, and whether more has come meanwhile. */
  readonly #sending = new Map<number, boolean>();
  readonly #failed: (error: unknown) => void;

  constructor(desk: TrackerDesk, failed: (error: unknown) => void) {
    this.#desk = desk;
    this.#failed = failed;
  }

  /** The device speaks over this line from now on. */
  joined(deviceId: number, line: CommandLine): void {
    this.#lines.set(deviceId, line);
  }

  left(deviceId: number, line: CommandLine): void {
    if (this.#lines.get(deviceId) === line) this.#lines.delete(deviceId);
  }

  /** Something waits for a device: it is sent if the device is connected, and else at its next word. */
  wake(deviceId: number): void {
    if (this.#lines.has(deviceId)) this.offer(deviceId, timeNow()).catch(this.#failed);
  }

  /** Sends what waits for a device that is connected. */
  async offer(deviceId: number, now: number): Promise<void> {
    if (this.#sending.has(deviceId)) {
      this.#sending.set(deviceId, true);
      return;
    }
    this.#sending.set(deviceId, false);
    try {
      for (;;) {
        const line = this.#lines.get(deviceId);
        const protocol = line?.protocolFor(deviceId);
        if (line === undefined || protocol === undefined || !this.#hasRoom(deviceId, protocol)) return;
        const next = await this.#desk.nextCommand(deviceId, now);
        if (next === undefined && !this.#sending.get(deviceId)) return;
        this.#sending.set(deviceId, false);
        if (next !== undefined && !(await this.#send(deviceId, line, next, now))) return;
      }
    } finally {
      this.#sending.delete(deviceId);
    }
  }

  /** Which message a reply is to. */
  replied(deviceId: number, reply: CommandReply, protocol: TrackerProtocol): number | undefined {
    const underWay = this.#underWay.get(deviceId);
    if (underWay === undefined) return undefined;
    // Clones leave out the name of the command; where one alone is under way, it is meant.
    const isNamed = protocol.repliesNameCommand && (reply.correlation !== undefined || underWay.length > 1);
    const index = isNamed
      ? underWay.findIndex(({ correlation }) => correlation !== undefined && correlation === reply.correlation)
      : 0;
    const [found] = index === -1 ? [] : underWay.splice(index, 1);
    if (underWay.length === 0) this.#underWay.delete(deviceId);
    return found?.messageId;
  }

  /** Lets the next one go where a reply does not come. */
  sweep(now: number): void {
    for (const [deviceId, underWay] of this.#underWay) {
      for (const one of underWay) {
        if (one.isLate || now - one.at < REPLY_MS) continue;
        one.isLate = true;
        this.wake(deviceId);
      }
      const kept = underWay.filter(({ at }) => now - at < FORGET_MS);
      if (kept.length === 0) this.#underWay.delete(deviceId);
      else if (kept.length < underWay.length) this.#underWay.set(deviceId, kept);
    }
  }

  #hasRoom(deviceId: number, { repliesNameCommand }: TrackerProtocol): boolean {
    const waiting = this.#underWay.get(deviceId)?.filter(({ isLate }) => !isLate).length ?? 0;
    return waiting < (repliesNameCommand ? MOST_UNDER_WAY : 1);
  }

  /** Whether another one may follow. */
  async #send(deviceId: number, line: CommandLine, next: CommandToSend, now: number): Promise<boolean> {
    const { messageId } = next;
    // Who speaks over the line may have changed meanwhile.
    if (line.protocolFor(deviceId) === undefined) {
      await this.#desk.commandReturned(messageId);
      return false;
    }
    const command = commandOf(next);
    const encoded = command && line.encode(command);
    if (encoded === undefined) {
      await this.#desk.commandFailed(deviceId, messageId, 'unsupported', now);
      return true;
    }
    if (!line.tell(deviceId, encoded.bytes)) {
      await this.#desk.commandReturned(messageId);
      return false;
    }
    if (encoded.isSilent) {
      await this.#desk.commandConfirmed(deviceId, messageId, undefined, now);
      return true;
    }
    const underWay = this.#underWay.get(deviceId);
    const one = { messageId, correlation: encoded.correlation, at: now, isLate: false };
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
