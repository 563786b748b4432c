import { STATUS_CODES } from 'node:http';
import { because } from '../../platform/because.ts';
import type { EgressResponse } from '../../platform/egress/client.ts';
import { CallFailed } from '../../platform/egress/failure.ts';
import type { SendOutcome } from '../../platform/outbox/channel.ts';

/** The meaning of a status for a parcel. */

const MAX_RETRY_AFTER_MS = 3_600_000;

/** A gateway timed out or lost the response: the server behind it may have accepted the parcel. */
const UNCLEAR = [502, 504];

export function outcomeOf({ status, headers, text }: EgressResponse, now: number): SendOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const said = oneLine(text);
  const answer = `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd() + (said === '' ? '.' : `: ${said}`);
  const why = because('answerWas', { answer });
  if (status === 410) return { kind: 'gone', ...why };
  if (status >= 300 && status < 400) return redirected(status, headers.location);
  // A 408 is a timeout too, reported by the receiver.
  if (status >= 500 || status === 429 || status === 408) {
    const retryAfterMs = retryAfter(headers['retry-after'], now);
    return {
      kind: 'down',
      ...why,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(UNCLEAR.includes(status) ? { isUnclear: true } : {}),
    };
  }
  return { kind: 'refused', ...why };
}

/**
 * 301, 302 and 303 would change the POST to a GET and lose the message, so they are not followed. The address is wrong,
 * not a single parcel, so nothing is given up until the user corrects it.
 */
function redirected(status: number, location: string | undefined): SendOutcome {
  const host = location !== undefined && URL.canParse(location) ? oneLine(new URL(location).host) : undefined;
  return { kind: 'down', ...because('moved', { status, host }) };
}

/** Seconds or a date, at most an hour. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const isSeconds = /^\s*\d+\s*$/.test(header);
  const waitMs = isSeconds
    ? Number(header) * 1000
    : /^[A-Z][a-z]+, /.test(header)
      ? Date.parse(header) - now
      : Number.NaN;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}

/**
 * No response arrived. A forbidden address counts as down as well: its name may resolve to another address later, or
 * the operator may allow it. An address that can never be called is rejected.
 */
export function outcomeOfFailure(error: unknown): SendOutcome {
  if (!(error instanceof CallFailed)) return { kind: 'down', ...because('notSent'), isUnclear: true };
  if (error.kind === 'address') return { kind: 'refused', ...error.because };
  if (error.isStale) return { kind: 'broken', ...error.because };
  return { kind: 'down', ...error.because, ...(error.isUnclear ? { isUnclear: true } : {}) };
}

const MAX_LENGTH = 200;

/**
 * A response of the receiver as one readable line: no markup, no control characters, shortened. It is shown to the user
 * who owns the destination, so it must contain only data from there.
 */
export function oneLine(text: string): string {
  const plain = text
    .replaceAll(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/gi, ' ')
    .replaceAll(/<[^>]{0,500}>/g, ' ')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  return plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH - 1).toWellFormed()}…` : plain;
}
