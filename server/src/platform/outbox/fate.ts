import type { SendOutcome } from './channel.ts';

/**
 * What follows from an outcome, for the row and for its destination: pure decisions, no clock, no I/O.
 *
 * Two things can be wrong, and they are treated differently. A destination that cannot take anything is down: it is tried again
 * and again, one row at a time, while the rows behind wait and spend nothing. A row that the destination does not want
 * is tried three times and then dead, and the next one goes.
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** How long a destination that is down is left alone: after the first failure, the second, … and from then on. */
const REST_MS = [5 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS];
/** Many that fell together do not come back together. */
const SPREAD = 0.2;
/** However long a destination asks to be left alone. */
const LONGEST_REST_MS = 60 * MINUTE_MS;
const SHORTEST_REST_MS = SECOND_MS;

/** When a row that was refused is tried again; after the last of them it is dead. All within a minute. */
const AGAIN_MS = [10 * SECOND_MS, 30 * SECOND_MS];
/** Of all attempts at most this many are remembered, the first one always, since it shows how it began. */
const MAX_REMEMBERED = 20;
const LONGEST_REASON = 500;
/** After this many connections that broke in a row, the destination is down. */
const MAX_BROKEN = 2;

/** One attempt that failed. */
export interface Attempt {
  /** ISO 8601. */
  readonly at: string;
  readonly reason: string;
  readonly refused?: true;
  /** The connection, which had been used before, broke. */
  readonly broken?: true;
}

export interface TriedRow {
  readonly attempts: number;
  readonly attemptLog: readonly Attempt[];
  /** When it is dead, if it was not delivered by then. */
  readonly expires: number;
}

export interface RowChange {
  readonly state: 'queued' | 'sent' | 'dead';
  readonly reason: string | null;
  readonly attempts: number;
  readonly attemptLog: readonly Attempt[];
  /** Not before this. */
  readonly nextAt: number;
  readonly ended: number | null;
}

/** A number from 0 to 1, by chance. */
export type Random = () => number;

/** What becomes of a row. `isAlive`: its destination took something in the same breath, so it is not down. */
export function fateOf(row: TriedRow, outcome: SendOutcome, isAlive: boolean, now: number): RowChange {
  const attempts = row.attempts + 1;
  if (outcome.kind === 'sent') {
    return { state: 'sent', reason: null, attempts, attemptLog: row.attemptLog, nextAt: now, ended: now };
  }
  const reason = outcome.reason.slice(0, LONGEST_REASON);
  const attemptLog = remember(row.attemptLog, {
    at: new Date(now).toISOString(),
    reason: isUnclear(outcome) ? `${reason} (it may have arrived)` : reason,
    ...(outcome.kind === 'refused' && { refused: true }),
    ...(outcome.kind === 'broken' && !outcome.isStopping && { broken: true }),
  });
  const dead = (why: string): RowChange => ({
    state: 'dead',
    reason: why,
    attempts,
    attemptLog,
    nextAt: now,
    ended: now,
  });
  const again = (nextAt: number): RowChange => ({ state: 'queued', reason, attempts, attemptLog, nextAt, ended: null });

  if (outcome.kind === 'unconfigured') return dead(reason);
  if (outcome.kind === 'refused') {
    const waitMs = AGAIN_MS[refusalsOf(attempts, attemptLog) - 1];
    return waitMs === undefined ? dead(reason) : again(now + waitMs);
  }
  if (now >= row.expires) return dead(expiredReason(reason));
  if (outcome.kind === 'broken') return again(now);
  // A destination that is down has its own time; one that is not may have this row again in a while.
  const isOnItsOwn = outcome.kind === 'later' || (outcome.kind === 'down' && isAlive);
  return again(isOnItsOwn ? now + restMs(attempts, () => 0.5) : now);
}

const isUnclear = (outcome: SendOutcome) =>
  outcome.kind === 'broken' || (outcome.kind === 'down' && outcome.isUnclear === true);

/** What was being sent when a process ended: it counts as an attempt, since it may have arrived. */
export function interrupted(row: Pick<TriedRow, 'attempts' | 'attemptLog'>, now: number): RowChange {
  const reason = 'The service stopped while it was being sent';
  const at = new Date(now).toISOString();
  const attemptLog = remember(row.attemptLog, { at, reason: `${reason} (it may have arrived)` });
  return { state: 'queued', reason, attempts: row.attempts + 1, attemptLog, nextAt: now, ended: null };
}

/** One connection that broke says nothing of the destination; several in a row do. */
export function judged(row: Pick<TriedRow, 'attemptLog'>, outcome: SendOutcome): SendOutcome {
  if (outcome.kind !== 'broken' || outcome.isStopping) return outcome;
  const before = row.attemptLog.slice(-MAX_BROKEN);
  if (before.length < MAX_BROKEN || !before.every(({ broken }) => broken)) return outcome;
  return { kind: 'down', reason: outcome.reason, isUnclear: true };
}

export const expiredReason = (last: string | null) =>
  `It could not be delivered within three days${last === null ? '' : `. Last attempt: ${last}`}`.slice(
    0,
    LONGEST_REASON,
  );

/** How often this row was refused since it was last sent afresh. */
function refusalsOf(attempts: number, log: readonly Attempt[]): number {
  return log.slice(-Math.min(attempts, log.length)).filter(({ refused }) => refused).length;
}

function remember(log: readonly Attempt[], attempt: Attempt): readonly Attempt[] {
  if (log.length < MAX_REMEMBERED) return [...log, attempt];
  return [log[0]!, ...log.slice(log.length - MAX_REMEMBERED + 2), attempt];
}

/** Of a destination. */
export interface Health {
  /** off: it said that it is gone; nothing is tried until someone switches it on again. */
  readonly state: 'up' | 'down' | 'off';
  /** Attempts that failed since it was last up. */
  readonly failures: number;
  readonly nextTryAt: number | null;
  readonly downSince: number | null;
  readonly lastSuccess: number | null;
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
}

export const isAliveBy = (outcomes: readonly SendOutcome[]) =>
  outcomes.some(({ kind }) => kind === 'sent' || kind === 'refused' || kind === 'later');

/**
 * The health after one send, which may have had several rows. `isStale`: the destination fell, or came back, while the
 * send was under way, so it shows nothing new about the destination.
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
    ...(failed && { lastError: failed.reason.slice(0, LONGEST_REASON), lastErrorAt: now }),
  };
  if (health.state === 'off') return noted;
  if (outcomes.some(({ kind }) => kind === 'gone')) {
    return { ...noted, state: 'off', nextTryAt: null, downSince: health.downSince ?? now };
  }
  const asked = Math.max(0, ...outcomes.map((outcome) => (outcome.kind === 'down' ? (outcome.retryAfterMs ?? 0) : 0)));
  if (isStale) {
    const later = asked > 0 && health.state === 'down' ? now + askedRestMs(asked, random) : 0;
    return { ...noted, nextTryAt: later > 0 ? Math.max(later, health.nextTryAt ?? 0) : health.nextTryAt };
  }
  if (isAliveBy(outcomes)) return { ...noted, state: 'up', failures: 0, nextTryAt: null, downSince: null };
  if (!outcomes.some(({ kind }) => kind === 'down')) return noted;
  const failures = health.failures + 1;
  return {
    ...noted,
    state: 'down',
    failures,
    nextTryAt: now + (asked > 0 ? askedRestMs(asked, random) : restMs(failures, random)),
    downSince: health.downSince ?? now,
  };
}

function restMs(failures: number, random: Random): number {
  const ms = REST_MS[Math.min(failures, REST_MS.length) - 1]!;
  return Math.round(ms * (1 - SPREAD + 2 * SPREAD * random()));
}

/** Never earlier than asked, within reason. */
function askedRestMs(asked: number, random: Random): number {
  const ms = Math.min(LONGEST_REST_MS, Math.max(SHORTEST_REST_MS, asked));
  return Math.round(ms * (1 + SPREAD * random()));
}
