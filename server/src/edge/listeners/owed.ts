import type { TrackerReceipt } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { textOf } from '../protocols/claims.ts';
import type { CommandReply } from '../protocols/trackers/tracker.ts';
import type { Line, TrackerOffice } from './office.ts';

/** A reply to a command, and the message that it is to. */
export interface ConfirmedCommand {
  readonly deviceId: number;
  readonly messageId: number;
  readonly reply: CommandReply;
}

/** An answer that waits for its turn. */
export interface Owed {
  readonly deviceId?: number;
  readonly receiving?: Promise<TrackerReceipt | undefined>;
  readonly answer?: Buffer | undefined;
  readonly refusal?: Buffer | undefined;
  readonly confirmed?: ConfirmedCommand;
}

/** How much of what a device replies is kept. */
export const MAX_REPLY = 10_000;

/**
 * Sends each answer once what it confirms is durable, and none before an earlier one. False where something could not be
 * stored: what came before it is answered, and the rest must be sent again over another connection.
 *
 * @param gone is called where the device is there no more
 */
export async function settle(
  owed: readonly Owed[],
  line: Line,
  { desk, commands }: TrackerOffice,
  gone: () => void,
): Promise<boolean> {
  const answers: Buffer[] = [];
  /** Devices for which something waits; mostly none. */
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
      await desk.commandConfirmed(confirmed.deviceId, messageId, { text, isFailure }, timeNow());
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
