import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { addressKey } from '../../platform/egress/ip.ts';
import { Refusal } from '../../platform/errors.ts';
import { withoutKey } from '../../platform/keyed-request.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { isKnownAddress, noteSignIn } from './sign-in-addresses.ts';

const MINUTE_MS = 60_000;
/**
 * Failures of one account from one address, and of one address over all accounts. For a user who signed in from the
 * address before, only the first counts: others behind the same address cannot lock this user out.
 */
const SHORT_MS = 15 * MINUTE_MS;
const MOST_OF_PAIR = 10;
const MOST_OF_ADDRESS = 30;
/** Failures of one account from all addresses; afterwards only addresses of earlier sign-ins of its user may try. */
const LONG_MS = 60 * MINUTE_MS;
const MOST_OF_ACCOUNT = 100;
/** Tries that wait for others of the same account or address. */
const MOST_WAITING = 200;
/** How long one waits for tries of other nodes, and how often it looks. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 20;
/** A try that is under way for longer was left by a node that died. */
const LEFT_MS = MINUTE_MS;
/** Old failures that each new one removes, so that a flood does not fill the table before the next hourly cleanup. */
const SWEEP = 20;

/** What is guessed, and what the refusal calls it. Each kind is counted separately. */
const KINDS = { signIn: 'failed sign-ins', claim: 'failed attempts to claim a device' } as const;
type GuessKind = keyof typeof KINDS;

/** One try, by what it is counted by. */
interface Guess {
  readonly kind: GuessKind;
  readonly account: string;
  readonly address: string;
  readonly userId: number | undefined;
  readonly now: number;
}

/** One attempt with a password or another proof of identity. */
interface SignInAttempt {
  /** Undefined for an unknown name. */
  readonly userId: number | undefined;
  /** What an unknown account was called; a fingerprint will do. */
  readonly name: string;
  readonly address: string;
  readonly now: number;
}

/**
 * Counts wrong passwords, for every way to try one. The counts are in the store, so they hold for all processes and over
 * restarts. Known and unknown accounts are treated alike.
 */
class PasswordGuard {
  readonly #store: Store;
  /** Tries under way in this process, by what they are counted by. */
  readonly #underWay = new Map<string, number>();
  #settled = 0;
  #waiting: (() => void)[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Whether it was right. Refuses, before anything is verified, where too many were wrong. */
  async attempt(kind: GuessKind, attempt: SignInAttempt, verify: () => Promise<boolean>): Promise<boolean> {
    const of = kind === 'signIn' ? '' : `${kind}:`;
    const account = of + (attempt.userId === undefined ? `name:${attempt.name}` : `user:${attempt.userId}`);
    const address = of + addressKey(attempt.address);
    const { userId, now } = attempt;
    const guess = { kind, account, address, userId, now };
    const failuresOfPair = await this.#enter(guess);
    let tried: number | undefined;
    try {
      if (this.#store.dialect.isShared) tried = await this.#reserve(guess);
      const isRight = await verify().catch(async (error) => {
        // It was not found out whether it was right.
        if (tried !== undefined) await this.#settle(tried, true, now);
        throw error;
      });
      if (tried !== undefined) await this.#settle(tried, isRight, now);
      else if (!isRight) await this.#failed(account, address, now);
      // A correct guess of another kind does not explain earlier failures.
      if (isRight && kind === 'signIn') {
        if (failuresOfPair > 0) await this.#forgive(account, address);
        if (userId !== undefined) await noteSignIn(this.#store, userId, address, now);
      }
      return isRight;
    } finally {
      this.#leave(account, address);
    }
  }

  /**
   * Waits while those under way could use up what is left, and counts this one as under way. Answers how often this
   * account failed from this address.
   */
  async #enter({ kind, account, address, userId, now }: Guess): Promise<number> {
    for (;;) {
      const settledBefore = this.#settled;
      const failures = await failuresOf(this.#store.query, account, address, now);
      const isKnown =
        (failures.ofAccount.length + this.#count(account) >= MOST_OF_ACCOUNT ||
          failures.ofAddress.length + this.#count(address) >= MOST_OF_ADDRESS) &&
        (await isKnownAddress(this.#store.query, userId ?? 0, address, now));
      // One that ended meanwhile may have failed.
      if (settledBefore !== this.#settled) continue;
      const limits = limitsOf(failures, account, address, isKnown);
      refuseOver(kind, limits, now);
      if (limits.every(([times, most, , key]) => times.length + this.#count(key) < most)) {
        for (const key of keysOf(account, address)) this.#underWay.set(key, this.#count(key) + 1);
        return failures.ofPair.length;
      }
      if (this.#waiting.length >= MOST_WAITING) throw tooMany(kind, 1000);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /**
   * Records a try before it is verified, for the other nodes on the database: each counts it as one that may fail.
   * Waits while attempts on other nodes could use up what is left. Returns its row.
   */
  async #reserve({ kind, account, address, userId, now }: Guess): Promise<number> {
    for (const givenUpAt = performance.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
      const reserved = await this.#store.transaction(async (tx) => {
        for (const key of [account, address].sort())
          await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx);
        const failures = await failuresOf(tx, account, address, now, 'all');
        const isKnown =
          (failures.ofAccount.length >= MOST_OF_ACCOUNT || failures.ofAddress.length >= MOST_OF_ADDRESS) &&
          (await isKnownAddress(tx, userId ?? 0, address, now));
        const isFull = limitsOf(failures, account, address, isKnown).some(([times, most]) => times.length >= most);
        if (!isFull)
          return tx
            .insertInto('passwordFailures')
            .values({ account, address, at: now, isUnderWay: 1 })
            .returning('id')
            .executeTakeFirstOrThrow();
        refuseOver(kind, limitsOf(await failuresOf(tx, account, address, now), account, address, isKnown), now);
        return undefined;
      });
      if (reserved !== undefined) return reserved.id;
      if (performance.now() > givenUpAt) throw tooMany(kind, 1000);
    }
  }

  async #settle(id: number, isRight: boolean, now: number): Promise<void> {
    if (isRight) {
      await this.#store.query.deleteFrom('passwordFailures').where('id', '=', id).execute();
      return;
    }
    await this.#store.transaction(async (tx) => {
      await tx.updateTable('passwordFailures').set({ isUnderWay: 0 }).where('id', '=', id).execute();
      await sweep(tx, now);
    });
  }

  #leave(account: string, address: string): void {
    for (const key of keysOf(account, address)) {
      const left = this.#count(key) - 1;
      if (left > 0) this.#underWay.set(key, left);
      else this.#underWay.delete(key);
    }
    this.#settled += 1;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #count(key: string): number {
    return this.#underWay.get(key) ?? 0;
  }

  async #failed(account: string, address: string, now: number): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await tx.insertInto('passwordFailures').values({ account, address, at: now }).execute();
      await sweep(tx, now);
    });
  }

  /** A user who knows the password made mistakes before, but did not guess. */
  async #forgive(account: string, address: string): Promise<void> {
    await this.#store.query
      .deleteFrom('passwordFailures')
      .where('account', '=', account)
      .where('address', '=', address)
      .execute();
  }
}

const keysOf = (account: string, address: string) => [`${account} ${address}`, address, account];

async function sweep(tx: Tx, now: number): Promise<void> {
  const old = tx
    .selectFrom('passwordFailures')
    .select('id')
    .where('at', '<', now - LONG_MS)
    .orderBy('at');
  await tx.deleteFrom('passwordFailures').where('id', 'in', old.limit(SWEEP)).execute();
}

type Failures = Awaited<ReturnType<typeof failuresOf>>;
type Limit = readonly [times: readonly number[], most: number, windowMs: number, key: string];

const limitsOf = (failures: Failures, account: string, address: string, isKnown: boolean): readonly Limit[] => [
  [failures.ofPair, MOST_OF_PAIR, SHORT_MS, `${account} ${address}`],
  ...(isKnown
    ? []
    : [
        [failures.ofAddress, MOST_OF_ADDRESS, SHORT_MS, address] as const,
        [failures.ofAccount, MOST_OF_ACCOUNT, LONG_MS, account] as const,
      ]),
];

function refuseOver(kind: GuessKind, limits: readonly Limit[], now: number): void {
  for (const [times, most, windowMs] of limits)
    if (times.length >= most) throw tooMany(kind, times[times.length - most]! + windowMs - now);
}

/**
 * When the failures were, the oldest first.
 * @param which `all` counts tries that are under way too; attempts of a dead node always count
 */
async function failuresOf(on: Tx, account: string, address: string, now: number, which: 'all' | 'failed' = 'failed') {
  const tries = on
    .selectFrom('passwordFailures')
    .where((row) =>
      which === 'all' ? row.lit(true) : row.or([row('isUnderWay', '=', 0), row('at', '<', now - LEFT_MS)]),
    );
  const shortly = await tries
    .select(['account', 'at'])
    .where('address', '=', address)
    .where('at', '>', now - SHORT_MS)
    .orderBy('at')
    .execute();
  const ofAccount = await tries
    .select('at')
    .where('account', '=', account)
    .where('at', '>', now - LONG_MS)
    .orderBy('at')
    .execute();
  const times = (rows: readonly { readonly at: number }[]) => rows.map(({ at }) => at);
  return {
    ofPair: times(shortly.filter((row) => row.account === account)),
    ofAddress: times(shortly),
    ofAccount: times(ofAccount),
  };
}

function tooMany(kind: GuessKind, waitMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new Refusal(429, `Too many ${KINDS[kind]}: try again in ${seconds} s`, {
    code: 'TOO_MANY_FAILURES',
    headers: { 'retry-after': String(seconds) },
  });
}

const guards = new WeakMap<Store, PasswordGuard>();

/** Whether it was right. All operations that verify a password, a code or the like use this. */
export const attemptSignIn = (store: Store, attempt: SignInAttempt, verify: () => Promise<boolean>): Promise<boolean> =>
  attemptGuess(store, 'signIn', attempt, verify);

/** The same for what else could be guessed. Failures of one kind never count for another. */
export function attemptGuess(
  store: Store,
  kind: GuessKind,
  attempt: SignInAttempt,
  verify: () => Promise<boolean>,
): Promise<boolean> {
  let guard = guards.get(store);
  if (guard === undefined) {
    guard = new PasswordGuard(store);
    guards.set(store, guard);
  }
  return withoutKey(() => guard.attempt(kind, attempt, verify));
}

export const forgetPasswordFailures = (store: Store, now: number) =>
  forgetOld(store, 'passwordFailures', 'at', now - LONG_MS);
