import { because } from '../../platform/because.ts';
import { timeNow } from '../../platform/clock.ts';
import { ANY_TARGET, createEgress, type EgressResponse } from '../../platform/egress/client.ts';
import { CallFailed } from '../../platform/egress/failure.ts';
import type { Channel, Destination, Parcel, SendOutcome } from '../../platform/outbox/channel.ts';
import type { ChannelDefinition } from './definition.ts';
import { oneLine, outcomeOf, outcomeOfFailure } from './http-outcome.ts';

/** Sends to Telegram chats as the operator's bot. Each chat of a user is a separate destination. */
export const telegram: ChannelDefinition<{ readonly telegramToken: string; readonly telegramUrl: string }> = {
  setup: ({ telegramToken: token }) => ({
    missing: whyNoBot(token) ?? null,
    isBegun: token !== '',
    about: 'Telegram messages are sent by the bot of TRACKWAY_TELEGRAM_TOKEN.',
  }),
  open: ({ telegramToken: token, telegramUrl: url }) => telegramChannel({ token, url }),
};

interface TelegramOptions {
  /** The token of the bot; empty if none is configured. */
  readonly token: string;
  /** The server of the Bot API. */
  readonly url: string;
  readonly deadlineMs?: number;
}

const NO_TOKEN = 'Telegram is not configured: set TRACKWAY_TELEGRAM_TOKEN.';
export const NOT_A_TOKEN =
  'Telegram is not configured: TRACKWAY_TELEGRAM_TOKEN is not the token of a bot, like 123456:ABC-DEF.';

const notConfigured = (missing: string) =>
  missing === NO_TOKEN ? because('telegramNotConfigured', { setting: 'TRACKWAY_TELEGRAM_TOKEN' }) : { reason: missing };

/** Maximum length of a message, in characters. */
const MAX_TEXT = 4096;
const MAX_RETRY_AFTER_S = 3600;

/** A token becomes part of an address, so it must not contain characters that could change the address. */
function whyNoBot(token: string): string | undefined {
  if (token === '') return NO_TOKEN;
  return /^\d+:[\w-]+$/.test(token) ? undefined : NOT_A_TOKEN;
}

export function telegramChannel({ token, url, deadlineMs = 10_000 }: TelegramOptions): Channel {
  const missing = whyNoBot(token);
  const egress = createEgress({ allowTargets: ANY_TARGET });
  // Servers and proxies repeat the called address, so the secret is removed before a response is used.
  const secret = token.slice(token.indexOf(':') + 1);

  async function sendOne({ target }: Destination, { content }: Parcel, signal: AbortSignal): Promise<SendOutcome> {
    const body = JSON.stringify({
      chat_id: /^-?\d+$/.test(target) ? Number(target) : target,
      text: shortened(content.text.trimEnd()),
      link_preview_options: { is_disabled: true },
    });
    const now = timeNow();
    try {
      const answer = await egress.post({
        url: `${url.replace(/\/+$/, '')}/bot${token}/sendMessage`,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        body,
        deadlineMs,
        signal,
        readsSuccess: true,
      });
      return outcomeOfAnswer({ ...answer, text: answer.text.replaceAll(secret, '…') }, now);
    } catch (error) {
      return outcomeOfCall(error);
    }
  }

  return {
    batch: 1,
    // Telegram allows about one message a second to a chat.
    concurrency: 1,
    isOrdered: () => false,
    send: async (destination, parcels, signal) =>
      missing === undefined
        ? Promise.all(parcels.map((parcel) => sendOne(destination, parcel, signal)))
        : parcels.map(() => ({ kind: 'unconfigured', ...notConfigured(missing) })),
    async close() {
      egress.close();
    },
  };
}

/** As many whole lines as fit. */
function shortened(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const cut = text.slice(0, MAX_TEXT - 2).toWellFormed();
  const lineEnd = cut.lastIndexOf('\n');
  return lineEnd > 0 ? `${cut.slice(0, lineEnd)}\n…` : `${cut}…`;
}

/** An error response of the Bot API. */
interface Failure {
  readonly description?: unknown;
  readonly parameters?: { readonly retry_after?: unknown; readonly migrate_to_chat_id?: unknown };
}

/** All users share the bot: a chat that it may not write to affects only that message. */
function outcomeOfAnswer(answer: EgressResponse, now: number): SendOutcome {
  const { status, text } = answer;
  // A long response is truncated, so it is not parsed.
  if (status === 200 && /^\s*\{\s*"ok"\s*:\s*true\b/.test(text)) return { kind: 'sent' };
  if (status >= 200 && status < 300) {
    const reason = 'The server of TRACKWAY_TELEGRAM_URL does not respond like the Bot API.';
    return { kind: 'down', reason, isUnclear: true };
  }
  if (status === 401 || status === 404) {
    const settings = `TRACKWAY_TELEGRAM_TOKEN${status === 404 ? ' and TRACKWAY_TELEGRAM_URL' : ''}`;
    return { kind: 'down', reason: `Telegram does not accept the bot's token (${status}): check ${settings}.` };
  }
  const { description, parameters } = failureIn(text);
  const said = typeof description === 'string' ? oneLine(description) : `status ${status}`;
  if (status === 429) {
    const seconds = Number(parameters?.retry_after);
    const retryAfterMs = seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_S) * 1000 : undefined;
    const reason = `Telegram limits the number of messages: ${said}`;
    return { kind: 'down', reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  if (status < 400 || status >= 500 || status === 408) return outcomeOf(answer, now);
  return { kind: 'refused', ...because('telegramRefused', { answer: `${said}${hintOf(said, parameters)}` }) };
}

/** What the user can do about the error. */
function hintOf(said: string, parameters: Failure['parameters']): string {
  const movedTo = parameters?.migrate_to_chat_id;
  if (typeof movedTo === 'number') return `. The chat has a new id: ${movedTo}`;
  return /chat not found/i.test(said) ? '. Start a conversation with the bot, or add it to the group, first' : '';
}

function failureIn(text: string): Failure {
  try {
    return (JSON.parse(text) ?? {}) as Failure;
  } catch {
    return {};
  }
}

/** The operator must correct an address that cannot be called, so nothing is given up for it. */
function outcomeOfCall(error: unknown): SendOutcome {
  if (error instanceof CallFailed && error.kind !== 'reach')
    return { kind: 'down', reason: `TRACKWAY_TELEGRAM_URL cannot be called: ${error.message}` };
  return outcomeOfFailure(error);
}
