import { createHmac } from 'node:crypto';
import { timeNow } from '../../platform/clock.ts';
import type { Egress } from '../../platform/egress/client.ts';
import type { Channel, Destination, Parcel, SendOutcome } from '../../platform/outbox/channel.ts';
import type { ChannelDefinition } from './definition.ts';
import { outcomeOf, outcomeOfFailure } from './http-outcome.ts';

/** POSTs to an address that a user specifies, signed as defined by Standard Webhooks. */
export const webhook: ChannelDefinition<object> = {
  setup: () => ({ missing: null }),
  open: (_settings, { egress }) => webhookChannel({ egress }),
};

interface WebhookOptions {
  readonly egress: Egress;
  readonly deadlineMs?: number;
}

export function webhookChannel({ egress, deadlineMs = 10_000 }: WebhookOptions): Channel {
  async function sendOne(destination: Destination, parcel: Parcel, signal: AbortSignal): Promise<SendOutcome> {
    const now = timeNow();
    try {
      const { text, type, headers } = parcel.content;
      const answer = await egress.post({
        url: destination.target,
        headers: {
          ...headers,
          'user-agent': 'Trackway',
          'content-type': type,
          'content-length': Buffer.byteLength(text),
          ...signed(destination.secrets, parcel.messageId, text, now),
        },
        body: text,
        deadlineMs,
        signal,
      });
      return outcomeOf(answer, now);
    } catch (error) {
      return outcomeOfFailure(error);
    }
  }
  return {
    batch: 1,
    concurrency: 16,
    isOrdered: () => false,
    send: (destination, parcels, signal) => Promise.all(parcels.map((parcel) => sendOne(destination, parcel, signal))),
    async close() {
      egress.close();
    },
  };
}

/** During a rotation the message is signed with each valid secret, so the receiver may know either. */
function signed(secrets: readonly string[], messageId: string, text: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${messageId}.${timestamp}.${text}`).digest('base64')}`;
  });
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 ? { 'webhook-signature': signatures.join(' ') } : {}),
  };
}
