import type { ReportReceiver, TrackerGateway } from '../../../calls.ts';
import { timeNow } from '../../../platform/clock.ts';
import type { Egress } from '../../../platform/egress/client.ts';
import type { Push } from '../../protocols/networks/network.ts';

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
