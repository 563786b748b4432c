import { ERRORS } from '@trackway/contract/errors.ts';
import type { Caller, Gate, OwnDevices, ReportAnswer, ReportReceiver, TrackerGateway } from '../../../calls.ts';
import { timeNow } from '../../../platform/clock.ts';
import type { Egress } from '../../../platform/egress/client.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Report } from '../../../reports.ts';
import type { Push } from '../../protocols/networks/network.ts';
import { type FailureLimit, type RateLimit, refuseOverdrawn } from '../rate-limit.ts';

/** Dependencies of the endpoints for networks. */
export interface NetworkContext {
  readonly gate: Pick<Gate, 'authenticate'>;
  readonly devices: OwnDevices;
  readonly reception: Pick<ReportReceiver, 'receive' | 'messageSent'>;
  /** Records messages that could not be decoded or belong to no device of the caller. */
  readonly notes: Pick<TrackerGateway, 'undecoded'>;
  /** Calls networks at the addresses that they send. */
  readonly egress: Pick<Egress, 'post'>;
  readonly pushes: DownlinkPushes;
  /** Reports per minute allowed for each device. */
  readonly limit: RateLimit;
  /** Wrong tokens per minute allowed for each address. */
  readonly failures: FailureLimit;
}

const INACTIVE = ERRORS.deviceInactive;

interface IgnoredReport {
  readonly ignored: string;
  readonly isGone?: true;
}

/**
 * Networks do not store rejected messages, so the report of an inactive device is accepted and the response states that
 * it was ignored.
 */
export async function receiveFor(
  { reception, limit }: NetworkContext,
  deviceId: number,
  report: Report,
  now: number,
): Promise<ReportAnswer | IgnoredReport> {
  refuseOverdrawn(limit.count(String(deviceId), now), now);
  try {
    const received = await reception.receive({ deviceId }, report, { messages: [] }, now);
    return received ?? { ignored: 'the device was deleted', isGone: true };
  } catch (error) {
    if (error instanceof Refusal && error.code === INACTIVE.code) return { ignored: 'the device is inactive' };
    throw error;
  }
}

/** A message without a known device counts against its user as if it came from a device. */
export const countIgnored = ({ limit }: NetworkContext, userId: number, now: number) =>
  refuseOverdrawn(limit.count(`user:${userId}`, now), now);

/**
 * This is not recorded as an unknown tracker: an admin who adds one allows a device to report by its name alone, which
 * a network does not need, and the device may belong to another user.
 */
export const unknownTo = ({ userId }: Caller) => `user ${userId} has no device of this name`;

interface PushContext {
  readonly egress: Pick<Egress, 'post'>;
  readonly reception: Pick<ReportReceiver, 'messageSent'>;
  readonly notes: Pick<TrackerGateway, 'undecoded'>;
}

const DEADLINE_MS = 10_000;
/** Maximum number of concurrent calls to networks; further messages wait for the next uplink. */
const MOST = 100;

/**
 * Sends downlink messages by calling networks. Each message is sent by one call at a time; a failed one is retried at
 * the next uplink.
 */
export class DownlinkPushes {
  readonly #underWay = new Set<number>();

  async send(
    { egress, reception, notes }: PushContext,
    push: Push,
    from: { readonly deviceId: number; readonly protocol: string; readonly address: string },
  ): Promise<void> {
    const { messageId, url, headers, body } = push;
    if (this.#underWay.has(messageId) || this.#underWay.size >= MOST) return;
    this.#underWay.add(messageId);
    const failed = (problem: string) =>
      notes.undecoded({ ...from, problem: `a downlink failed: ${problem}`, bytes: Buffer.from(body), now: timeNow() });
    try {
      const length = { 'content-length': Buffer.byteLength(body), 'user-agent': 'Trackway' };
      const call = { url, headers: { ...headers, ...length }, body, deadlineMs: DEADLINE_MS };
      const { status } = await egress.post({ ...call, signal: AbortSignal.timeout(DEADLINE_MS) });
      if (status >= 200 && status < 300) await reception.messageSent(from.deviceId, messageId, timeNow());
      else failed(`the network answered ${status}`);
    } catch (error) {
      failed(error instanceof Error ? error.message : 'the network could not be called');
    } finally {
      this.#underWay.delete(messageId);
    }
  }
}
