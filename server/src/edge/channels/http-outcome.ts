import { STATUS_CODES } from 'node:http';
import type { EgressResponse } from '../../platform/egress/client.ts';
import { CallFailed } from '../../platform/egress/failure.ts';
import type { SendOutcome } from '../../platform/outbox/channel.ts';
import { oneLine } from './reason.ts';

/** What a status means for a parcel. */

const MAX_RETRY_AFTER_MS = 3_600_000;

/** A gateway gave up waiting, or lost the answer: the one behind it may have taken the parcel. */
const UNCLEAR = [502, 504];

export function outcomeOf({ status, headers, text }: EgressResponse, now: number): SendOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const said = oneLine(text);
  const reason = `The answer was ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd() + (said === '' ? '.' : `: ${said}`);
  if (status === 410) return { kind: 'gone', reason };
  if (status >= 300 && status < 400) return redirected(status, headers.location);
  // A 408 is a timeout too, reported by the other side.
  if (status >= 500 || status === 429 || status === 408) {
    const retryAfterMs = retryAfter(headers['retry-after'], now);
    return {
      kind: 'down',
      reason,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(UNCLEAR.includes(status) ? { isUnclear: true } : {}),
    };
  }
  return { kind: 'refused', reason };
}

/**
 * 301, 302 and 303 would turn the POST into a GET and lose the message, so they are not followed. The address is wrong
 * and not a single parcel, hence nothing is given up until somebody corrects it.
 */
function redirected(status: number, location: string | undefined): SendOutcome {
  const host = location !== undefined && URL.canParse(location) ? ` to ${oneLine(new URL(location).host)}` : '';
  return {
    kind: 'down',
    reason: `The answer was ${status}: the address has moved${host}. Only 307 and 308 are followed: set the new address.`,
  };
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
 * No answer came. A forbidden address counts as down as well: its name may resolve to another address later, or the
 * operator may allow it. An address that can never be called is refused.
 */
export function outcomeOfFailure(error: unknown): SendOutcome {
  if (!(error instanceof CallFailed))
    return { kind: 'down', reason: 'The message could not be sent.', isUnclear: true };
  if (error.kind === 'address') return { kind: 'refused', reason: error.message };
  if (error.isStale) return { kind: 'broken', reason: error.message };
  return { kind: 'down', reason: error.message, ...(error.isUnclear ? { isUnclear: true } : {}) };
}
