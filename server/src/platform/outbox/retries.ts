import type { ReasonDetails } from '@trackway/contract/wording/reason.ts';
import { type Because, because, NO_REASON, within } from '../because.ts';
import type { SendOutcome } from './channel.ts';

/**
 * Decides what follows from an outcome, for the row and for its destination. Pure: no clock, no I/O.
 *
 * There are two kinds of failures, which are handled differently. A destination that cannot accept anything is down: it
 * is retried repeatedly, one row at a time, while the other rows wait without using up attempts. A row that the
 * destination rejects is tried three times and then dead, and the next one is sent.
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Retry intervals of a destination that is down: after the first failure, the second, … and from then on. */
const BACKOFF_MS = [5 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS];
/** Jitter, so that destinations that failed together are not retried together. */
const SPREAD = 0.2;
/** Maximum retry interval that a destination can request. */
const LONGEST_BACKOFF_MS = 60 * MINUTE_MS;
const SHORTEST_BACKOFF_MS = SECOND_MS;

/** Retry intervals of a rejected row; after the last one it is dead. All within a minute. */
const AGAIN_MS = [10 * SECOND_MS, 30 * SECOND_MS];
/** Maximum number of stored attempts. The first one is always kept, because it shows how it began. */
const MAX_REMEMBERED = 20;
const LONGEST_REASON = 500;
/** After this many consecutive broken connections, the destination is down. */
const MAX_BROKEN = 2;

/** One failed attempt. */
export interface Attempt {
  /** ISO 8601. */
  readonly at: string;
  readonly reason: string;
  readonly details?: ReasonDetails;
  readonly refused?: true;
  /** A reused connection broke. */
  readonly broken?: true;
}

export interface TriedRow {
  readonly attempts: number;
  readonly attemptLog: readonly Attempt[];
  /** When it is given up if it is not delivered. */
  readonly expires: number;
}

export interface RowChange {
  readonly state: 'queued' | 'sent' | 'dead';
  readonly reason: string | null;
  readonly reasonDetails: string | null;
  readonly attempts: number;
  readonly attemptLog: readonly Attempt[];
  /** Not before this time. */
  readonly nextAt: number;
  readonly ended: number | null;
}

/** A random number from 0 to 1. */
export type Random = () => number;

/** The next state of a row. `isAlive`: its destination accepted something in the same send, so it is not down. */
export function changeAfter(row: TriedRow, outcome: SendOutcome, isAlive: boolean, now: number): RowChange {
  const attempts = row.attempts + 1;
  if (outcome.kind === 'sent') {
    return { state: 'sent', ...NO_REASON, attempts, attemptLog: row.attemptLog, nextAt: now, ended: now };
  }
  const why = reasonOf(outcome);
  const attemptLog = remember(row.attemptLog, {
    at: new Date(now).toISOString(),
    ...tried(isUnclear(outcome) ? because('mayHaveArrived', { reason: within(why) }) : why),
    ...(outcome.kind === 'refused' && { refused: true }),
    ...(outcome.kind === 'broken' && !outcome.isStopping && { broken: true }),
  });
  const dead = (ended: Required<Because>): RowChange => ({
    state: 'dead',
    ...ended,
    attempts,
    attemptLog,
    nextAt: now,
    ended: now,
  });
  const again = (nextAt: number): RowChange => ({ state: 'queued', ...why, attempts, attemptLog, nextAt, ended: null });

  if (outcome.kind === 'unconfigured') return dead(why);
  if (outcome.kind === 'refused') {
    const waitMs = AGAIN_MS[refusalsOf(attempts, attemptLog) - 1];
    return waitMs === undefined ? dead(why) : again(now + waitMs);
  }
  if (now >= row.expires) return dead(expired(why));
  if (outcome.kind === 'broken') return again(now);
  // A destination that is down has its own retry time; otherwise this row is retried after a while.
  const isOnItsOwn = outcome.kind === 'later' || (outcome.kind === 'down' && isAlive);
  return again(isOnItsOwn ? now + backoffMs(attempts, () => 0.5) : now);
}

const isUnclear = (outcome: SendOutcome) =>
  outcome.kind === 'broken' || (outcome.kind === 'down' && outcome.isUnclear === true);

/** A send that was in progress when a process ended: it counts as an attempt, because it may have arrived. */
export function interrupted(row: Pick<TriedRow, 'attempts' | 'attemptLog'>, now: number): RowChange {
  const why = because('serviceStopped');
  const at = new Date(now).toISOString();
  const attemptLog = remember(row.attemptLog, { at, ...tried(because('mayHaveArrived', { reason: within(why) })) });
  return { state: 'queued', ...why, attempts: row.attempts + 1, attemptLog, nextAt: now, ended: null };
}

/** One broken connection is no problem of the destination; several consecutive ones are. */
export function judged(row: Pick<TriedRow, 'attemptLog'>, outcome: SendOutcome): SendOutcome {
  if (outcome.kind !== 'broken' || outcome.isStopping) return outcome;
  const before = row.attemptLog.slice(-MAX_BROKEN);
  if (before.length < MAX_BROKEN || !before.every(({ broken }) => broken)) return outcome;
  return { kind: 'down', ...reasonOf(outcome), isUnclear: true };
}

export const expired = (last: Because | null) => because('expired', { last: last === null ? undefined : within(last) });

const reasonOf = ({ reason, reasonDetails = null }: Because): Required<Because> => ({
  reason: reason.slice(0, LONGEST_REASON),
  reasonDetails,
});

const tried = ({ reason, reasonDetails }: Because): Pick<Attempt, 'reason' | 'details'> => ({
  reason,
  ...(reasonDetails && { details: JSON.parse(reasonDetails) as ReasonDetails }),
});

/** The number of rejections since the row was last sent afresh. */
function refusalsOf(attempts: number, log: readonly Attempt[]): number {
  return log.slice(-Math.min(attempts, log.length)).filter(({ refused }) => refused).length;
}

function remember(log: readonly Attempt[], attempt: Attempt): readonly Attempt[] {
  if (log.length < MAX_REMEMBERED) return [...log, attempt];
  return [log[0]!, ...log.slice(log.length - MAX_REMEMBERED + 2), attempt];
}

/** The health of a destination. */
export interface Health {
  /** off: it reported that it no longer exists; nothing is tried until a user switches it on again. */
  readonly state: 'up' | 'down' | 'off';
  /** Failed attempts since it was last up. */
  readonly failures: number;
  readonly nextTryAt: number | null;
  readonly downSince: number | null;
  readonly lastSuccess: number | null;
  readonly lastError: string | null;
  readonly lastErrorDetails: string | null;
  readonly lastErrorAt: number | null;
}

function lastError(failed: Because): Pick<Health, 'lastError' | 'lastErrorDetails'> {
  const { reason, reasonDetails } = reasonOf(failed);
  return { lastError: reason, lastErrorDetails: reasonDetails };
}

export const isAliveBy = (outcomes: readonly SendOutcome[]) =>
  outcomes.some(({ kind }) => kind === 'sent' || kind === 'refused' || kind === 'later');

/**
 * The health after one send, which may have had several rows. `isStale`: the state of the destination changed while the
 * send was in progress, so the send shows nothing new.
 */
export function healthAfter(
  health: Health,
  outcomes: readonly SendOutcome[],
  isStale: boolean,
  now: number,
  random: Random,
): Health {
  const failed = outcomes.findLast(({ kind }) => kind !== 'sent' && kind !== 'broken') as
    | Exclude<SendOutcome, { kind: 'sent' }>
    | undefined;
  const noted: Health = {
    ...health,
    ...(outcomes.some(({ kind }) => kind === 'sent') && { lastSuccess: now }),
    ...(failed && { ...lastError(failed), lastErrorAt: now }),
  };
  if (health.state === 'off') return noted;
  if (outcomes.some(({ kind }) => kind === 'gone')) {
    return { ...noted, state: 'off', nextTryAt: null, downSince: health.downSince ?? now };
  }
  const asked = Math.max(0, ...outcomes.map((outcome) => (outcome.kind === 'down' ? (outcome.retryAfterMs ?? 0) : 0)));
  if (isStale) {
    const later = asked > 0 && health.state === 'down' ? now + requestedBackoffMs(asked, random) : 0;
    return { ...noted, nextTryAt: later > 0 ? Math.max(later, health.nextTryAt ?? 0) : health.nextTryAt };
  }
  if (isAliveBy(outcomes)) return { ...noted, state: 'up', failures: 0, nextTryAt: null, downSince: null };
  if (!outcomes.some(({ kind }) => kind === 'down')) return noted;
  const failures = health.failures + 1;
  return {
    ...noted,
    state: 'down',
    failures,
    nextTryAt: now + (asked > 0 ? requestedBackoffMs(asked, random) : backoffMs(failures, random)),
    downSince: health.downSince ?? now,
  };
}

function backoffMs(failures: number, random: Random): number {
  const ms = BACKOFF_MS[Math.min(failures, BACKOFF_MS.length) - 1]!;
  return Math.round(ms * (1 - SPREAD + 2 * SPREAD * random()));
}

/** Never earlier than requested, within the limit. */
function requestedBackoffMs(asked: number, random: Random): number {
  const ms = Math.min(LONGEST_BACKOFF_MS, Math.max(SHORTEST_BACKOFF_MS, asked));
  return Math.round(ms * (1 + SPREAD * random()));
}
