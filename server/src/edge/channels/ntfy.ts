import type { Severity } from '@trackway/contract/severities.ts';
import { timeNow } from '../../platform/clock.ts';
import type { Egress } from '../../platform/egress/client.ts';
import type { Channel, Content, Destination, Parcel, SendOutcome } from '../../platform/outbox/channel.ts';
import type { ChannelDefinition } from './definition.ts';
import { outcomeOf, outcomeOfFailure } from './http-outcome.ts';

/** Publishes to topics of ntfy, at ntfy.sh or at servers of users. Each topic of a user is a separate destination. */
export const ntfy: ChannelDefinition<{ readonly publicUrl: string }> = {
  setup: () => ({ missing: null }),
  open: ({ publicUrl }, { egress }) => ntfyChannel({ egress, publicUrl }),
};

interface NtfyOptions {
  readonly egress: Egress;
  /** The address of the console; empty if not configured. */
  readonly publicUrl: string;
  /** The server of topics that are given by name. */
  readonly server?: string;
  readonly deadlineMs?: number;
}

/** From 1 to 5; 3 is the default. */
const PRIORITIES: Readonly<Record<Severity, number>> = { info: 3, warning: 4, critical: 5 };
/** Names of emojis, which apps show before the title. */
const TAGS: Readonly<Record<Severity, string>> = { info: 'bell', warning: 'warning', critical: 'rotating_light' };

/** Servers take 4096 bytes, which are 1000 characters in any language, and turn longer messages into attachments. */
const MAX_TEXT = 1000;
const MAX_TITLE = 150;

export function ntfyChannel(options: NtfyOptions): Channel {
  const { egress, publicUrl, server = 'https://ntfy.sh', deadlineMs = 10_000 } = options;

  async function sendOne({ target, secrets }: Destination, parcel: Parcel, signal: AbortSignal): Promise<SendOutcome> {
    const slash = target.lastIndexOf('/');
    const topic = target.slice(slash + 1);
    const token = tokenIn(secrets);
    // As JSON, because headers cannot contain all characters of titles.
    const body = JSON.stringify({ topic, ...messageOf(parcel.content, publicUrl) });
    const now = timeNow();
    try {
      const answer = await egress.post({
        url: slash === -1 ? server : target.slice(0, slash + 1),
        headers: {
          'user-agent': 'Trackway',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body,
        deadlineMs,
        signal,
      });
      const said = errorIn(answer.text);
      return outcomeOf({ ...answer, text: token === undefined ? said : said.replaceAll(token, '…') }, now);
    } catch (error) {
      return outcomeOfFailure(error);
    }
  }

  return {
    batch: 1,
    concurrency: 1,
    isOrdered: () => false,
    send: (destination, parcels, signal) => Promise.all(parcels.map((parcel) => sendOne(destination, parcel, signal))),
    async close() {
      egress.close();
    },
  };
}

/** The access token of a topic. A key for signatures is none: one replaces secrets that were lost. */
const tokenIn = (secrets: readonly string[]) => secrets.find((secret) => !secret.startsWith('whsec_'));

/** What is shown on a screen. */
interface Shown {
  readonly title?: string;
  readonly body?: string;
  /** A path of the console. */
  readonly url?: string;
  readonly when?: string;
  readonly severity?: Severity;
}

function messageOf({ text, subject }: Content, publicUrl: string): object {
  const { title = subject ?? '', body = text, url, when, severity = 'info' } = shownIn(text);
  return {
    title: cut(title, MAX_TITLE),
    message: cut(when ? `${body}\n${when}` : body, MAX_TEXT),
    priority: PRIORITIES[severity],
    tags: [TAGS[severity]],
    ...(url && publicUrl ? { click: `${publicUrl.replace(/\/+$/, '')}${url}` } : {}),
  };
}

function shownIn(text: string): Shown {
  try {
    return (JSON.parse(text) ?? {}) as Shown;
  } catch {
    return {};
  }
}

const cut = (text: string, max: number) => (text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`);

/** Servers explain an error as `{"code": 40301, "http": 403, "error": "forbidden", …}`. */
function errorIn(text: string): string {
  const { error } = shownIn(text) as { error?: unknown };
  return typeof error === 'string' ? error : text;
}
