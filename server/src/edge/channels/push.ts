import { because } from '../../platform/because.ts';
import { timeNow } from '../../platform/clock.ts';
import type { Egress } from '../../platform/egress/client.ts';
import type { Channel, Parcel, SendOutcome } from '../../platform/outbox/channel.ts';
import { CannotOpen, type Vault } from '../../platform/vault.ts';
import type { ChannelDefinition } from './definition.ts';
import { outcomeOf, outcomeOfFailure } from './http-outcome.ts';
import type { VapidKeys } from './vapid.ts';

interface PushSettings {
  readonly publicUrl: string;
  readonly smtpFrom: string;
  readonly adminEmail: string;
}

/** Notifications in browsers, sent through the push service of each and encrypted for the browser. */
export const push: ChannelDefinition<PushSettings> = {
  setup: () => ({ missing: null }),
  open: (settings, { egress, pushKeys, vault }) =>
    pushChannel({ egress, keys: pushKeys, vault, subject: subjectOf(settings) }),
};

/** Contact address for push services. Some reject messages if it does not look real. */
function subjectOf({ publicUrl, smtpFrom, adminEmail }: PushSettings): string {
  if (URL.canParse(publicUrl) && publicUrl.startsWith('https:')) return new URL(publicUrl).origin;
  const address = [smtpFrom, adminEmail].map((text) => /[^\s<>@]+@[^\s<>@]+/.exec(text)?.[0]).find(Boolean);
  return `mailto:${address ?? 'operator@trackway.invalid'}`;
}

interface PushOptions {
  readonly egress: Egress;
  readonly keys: VapidKeys;
  readonly vault: Vault;
  /** Contact address for push services: https://… or mailto:…. */
  readonly subject: string;
  readonly deadlineMs?: number;
}

/** How long a push service stores a message for an offline browser. */
const TTL_S = 86_400;

const UNREADABLE = 'The subscription cannot be decrypted: it was encrypted with another key';

interface Subscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** The subscription in the outbox: its keys are encrypted, unless an earlier version stored them. */
type Relayed = Omit<Subscription, 'keys'> & { readonly keys: string | Subscription['keys'] };

function opened(vault: Vault, { endpoint, keys }: Relayed): Subscription {
  if (typeof keys !== 'string') return { endpoint, keys };
  return { endpoint, keys: JSON.parse(vault.open(keys, `pushSubscriptions.keys:${endpoint}`)) as Subscription['keys'] };
}

export function pushChannel({ egress, keys, vault, subject, deadlineMs = 10_000 }: PushOptions): Channel {
  async function sendOne(parcel: Parcel, signal: AbortSignal): Promise<SendOutcome> {
    const request = await encrypted(parcel);
    if (request === 'unreadable') return { kind: 'down', reason: UNREADABLE };
    if (request === undefined) return { kind: 'refused', ...because('subscriptionInvalid') };
    const now = timeNow();
    try {
      const answer = await egress.post({ ...request, deadlineMs, signal });
      const outcome = outcomeOf(answer, now);
      if (answer.status !== 404 && answer.status !== 410) return outcome;
      return { kind: 'gone', ...because('browserGone') };
    } catch (error) {
      return outcomeOfFailure(error);
    }
  }

  async function encrypted({ address, content }: Parcel) {
    const { default: webPush } = await import('web-push');
    try {
      const subscription = opened(vault, JSON.parse(address ?? '') as Relayed);
      const { endpoint, headers, body } = webPush.generateRequestDetails(subscription, content.text, {
        vapidDetails: { subject, ...keys },
        TTL: TTL_S,
        // A notification about the user's own device should wake a sleeping phone.
        urgency: 'high',
      });
      return { url: endpoint, headers: headers as Record<string, string | number>, body };
    } catch (error) {
      return error instanceof CannotOpen ? 'unreadable' : undefined;
    }
  }

  return {
    batch: 1,
    concurrency: 4,
    isOrdered: () => false,
    send: (_destination, parcels, signal) => Promise.all(parcels.map((parcel) => sendOne(parcel, signal))),
    async close() {
      egress.close();
    },
  };
}
