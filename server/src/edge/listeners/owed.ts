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
