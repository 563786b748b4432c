import type { TrackerReceipt } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { textOf } from '../protocols/claims.ts';
import type { CommandReply } from '../protocols/trackers/tracker.ts';
import type { Line, ListenerContext } from './context.ts';

/** A reply to a command, and the message of the command. */
export interface ConfirmedCommand {
  readonly deviceId: number;
  readonly messageId: number;
  readonly reply: CommandReply;
}

/** A response that waits for its turn. */
export interface Owed {
  readonly deviceId?: number;
  readonly receiving?: Promise<TrackerReceipt | undefined>;
  readonly answer?: Buffer | undefined;
  readonly refusal?: Buffer | undefined;
  readonly confirmed?: ConfirmedCommand;
}

/** Maximum length of a stored reply. */
export const MAX_REPLY = 10_000;

/**
 * Sends each response once the data that it confirms is durable, in order. False if something could not be stored:
 * earlier reports are answered, and the device must send the others again over another connection.
 *
 * @param gone called if the device no longer exists
 */
export async function settle(
  owed: readonly Owed[],
  line: Line,
  { gateway, commands }: ListenerContext,
  gone: () => void,
): Promise<boolean> {
  const answers: Buffer[] = [];
  /** Devices with waiting messages; usually none. */
  let waiting: Set<number> | undefined;
  for (const { receiving, answer, refusal, confirmed, deviceId } of owed) {
    const receipt = await receiving;
    if (receiving !== undefined && receipt === undefined) {
      if (answers.length > 0) line.send(answers);
      return false;
    }
    if (receipt?.outcome === 'gone') gone();
    const said = receiving === undefined || receipt!.outcome === 'gone' ? refusal : answer;
    if (said !== undefined) answers.push(said);
    if (confirmed !== undefined) {
      const { messageId, reply } = confirmed;
      const text = textOf(reply.text, MAX_REPLY) ?? '';
      const isFailure = reply.isFailure ?? false;
      await gateway.commandConfirmed(confirmed.deviceId, messageId, { text, isFailure }, timeNow());
    }
    if (deviceId !== undefined && (receipt?.hasPending || confirmed !== undefined)) {
      waiting ??= new Set();
      waiting.add(deviceId);
    }
  }
  if (answers.length > 0) line.send(answers);
  if (waiting !== undefined) for (const deviceId of waiting) await commands.offer(deviceId, timeNow());
  return true;
}

/** Maximum number of bytes read ahead while reports are being stored. */
const MOST_WAITING_BYTES = 64 * 1024;
const MOST_WAITING_DATAGRAMS = 32;

/** Received bytes that wait for their turn. Reading of a stream pauses if too many wait. */
export class Waiting {
  readonly #line: Line;
  #parts: Buffer[] | undefined;
  #bytes = 0;

  constructor(line: Line) {
    this.#line = line;
  }

  push(bytes: Buffer): void {
    this.#parts ??= [];
    if (this.#line.transport === 'udp' && this.#parts.length >= MOST_WAITING_DATAGRAMS) return;
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > MOST_WAITING_BYTES) this.#line.setReading(false);
  }

  /** All bytes of a stream, or the next datagram. */
  next(): Buffer | undefined {
    const parts = this.#parts;
    if (parts === undefined) return undefined;
    if (this.#line.transport === 'udp' && parts.length > 1) return parts.shift();
    this.#parts = undefined;
    if (this.#bytes > MOST_WAITING_BYTES) this.#line.setReading(true);
    this.#bytes = 0;
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }

  clear(): void {
    this.#parts = undefined;
  }
}
