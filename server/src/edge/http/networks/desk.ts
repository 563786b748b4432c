import { ERRORS } from '@trackway/contract/errors.ts';
import type { Caller, Gate, OwnDevices, ReportAnswer, ReportReceiver, TrackerDesk } from '../../../calls.ts';
import type { Egress } from '../../../platform/egress/client.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Report } from '../../../reports.ts';
import type { FailureLimit } from '../connections/failure-limit.ts';
import { type RateLimit, refuseOverdrawn } from '../rate-limit.ts';
import type { DownlinkPushes } from './push-downlink.ts';

/** What is asked when a network posts what a device said. */
export interface NetworkDesk {
  readonly gate: Pick<Gate, 'authenticate'>;
  readonly devices: OwnDevices;
  readonly reception: Pick<ReportReceiver, 'receive' | 'messageSent'>;
  /** Takes down what could not be read, or is of no device of the caller. */
  readonly notes: Pick<TrackerDesk, 'undecoded'>;
  /** Calls networks, at the addresses they give. */
  readonly egress: Pick<Egress, 'post'>;
  readonly pushes: DownlinkPushes;
  /** Reports per minute allowed for each device. */
  readonly limit: RateLimit;
  /** Wrong tokens allowed for each address. */
  readonly failures: FailureLimit;
}

const INACTIVE = ERRORS.deviceInactive;

export interface IgnoredReport {
  readonly ignored: string;
  readonly isGone?: true;
}

/** Networks do not keep what is refused, so the report of an inactive device is not: it is told that it was ignored. */
export async function receiveFor(
  { reception, limit }: NetworkDesk,
  deviceId: number,
  report: Report,
  now: number,
): Promise<ReportAnswer | IgnoredReport> {
  refuseOverdrawn(limit.count(String(deviceId), now), now);
  try {
    const received = await reception.receive({ deviceId }, report, { messages: [] }, now);
    return received ?? { ignored: 'the device is gone', isGone: true };
  } catch (error) {
    if (error instanceof Refusal && error.code === INACTIVE.code) return { ignored: 'the device is inactive' };
    throw error;
  }
}

/** What names no device costs its user as if it were one. */
export const countIgnored = ({ limit }: NetworkDesk, userId: number, now: number) =>
  refuseOverdrawn(limit.count(`user:${userId}`, now), now);

/**
 * No knock: whoever takes one in lets a device report by its name alone, which a network does not need, and the device may
 * belong to somebody else.
 */
export const unknownTo = ({ userId }: Caller) => `user ${userId} has no device of this name`;
