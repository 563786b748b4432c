import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { timeNow } from '../clock.ts';
import type { Log } from '../log.ts';
import type { AnyDatabase, AnyQuery } from '../storage/database.ts';
import { freeLeasesOfDead, isRenewalDue } from '../storage/lease.ts';
import { failureLog } from '../storage/trouble.ts';
import type { Vault } from '../vault.ts';
import type { Channel } from './channel.ts';
import { DueDestinations } from './due-destinations.ts';
import { type Claimed, type Leased, Ledger, type SendGuard, type Settled } from './ledger.ts';
import { expireOld } from './retention.ts';
import type { Health, Random } from './retries.ts';
import { sendBatch } from './sending.ts';
import { DestinationSession, type SendBatch } from './session.ts';
import { DESTINATION_LEASE } from './statements.ts';

export interface OutboxOptions {
  /** Decrypts the signing secrets. */
  readonly vault: Vault;
  readonly log: Log;
  /** Lease time of a destination without renewal. */
  readonly leaseMs?: number;
  /** Interval of checks without a wake-up: rows of other processes, and rows that become due. */
  readonly pollMs?: number;
  /** How long `stop` waits for sends in progress. */
  readonly graceMs?: number;
  /** Pause after a failure of the store. */
  readonly pauseMs?: number;
  readonly now?: () => number;
  readonly random?: Random;
  /** Called when a destination reports that it no longer exists. */
  readonly switchedOff?: (destination: { readonly kind: string; readonly target: string }) => Promise<void>;
  readonly guard?: SendGuard;
}

const LEASE_MS = 15_000;
const POLL_MS = 1000;
/** Writers wake it with every commit; it searches for new rows at most once in this time. */
const GATHER_MS = 20;
/** Searching takes at most one part in this many of its time, however many destinations wait. */
const SPARE = 10;
/** Leaves time to store the outcomes of sends, within the 10 s that an orchestrator waits. */
const GRACE_MS = 4000;
const EXPIRY_MS = 60_000;
const PAUSE_MS = 1000;
/** Rows that were claimed longer ago are checked again before they are sent. */
const FRESH_MS = 100;
/**
 * Maximum number of concurrent sends. While half of them are in use, a destination gets one, so that slow ones leave
 * room.
 */
const MOST_SENDS = 512;
/** Maximum number of claimed rows, and of destinations leased in one transaction. */
const MAX_UNDER_WAY = 4000;
const MOST_NEW = 100;

/** The changes that a round stores for one session. */
interface Entry {
  readonly session: DestinationSession;
  readonly health: Health;
  readonly settled: readonly Settled[];
  readonly returned: readonly number[];
  readonly written: () => void;
  readonly claimed: Claimed[];
  secrets?: Awaited<ReturnType<Ledger['keep']>>;
  isReleased: boolean;
}

/**
 * Sends the rows of the outbox. One process at a time serves a destination, by a lease. All writes are done in rounds,
 * one transaction each: it stores outcomes, claims more rows, and acquires or releases destinations.
 */
export class Outbox {
  readonly #ledger: Ledger;
  readonly #db: AnyDatabase;
  readonly #channels: Readonly<Record<string, Channel>>;
  readonly #log: Log;
  readonly #failed: ReturnType<typeof failureLog>;
  readonly #options: OutboxOptions;
  readonly #now: () => number;
  readonly #leaseMs: number;
  readonly #sessions = new Map<number, DestinationSession>();
  readonly #aborting = new AbortController();
  readonly #newcomers: DueDestinations;
  #sends = 0;
  /** Rows that this round has claimed and not yet passed to a session. */
  #claiming = 0;
  #wokenAt = 0;
  #waking: NodeJS.Timeout | undefined;
  #isUncertain = false;
  #nextExpiry = 0;
  #working: Promise<void> | undefined;
  #hasMore = false;
  #isStopping = false;
  #isStopped = false;
  #stopping: Promise<void> | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(db: AnyDatabase, channels: Readonly<Record<string, Channel>>, options: OutboxOptions) {
    const { leaseMs = LEASE_MS, pollMs = POLL_MS, now = timeNow, log } = options;
    this.#db = db;
    this.#ledger = new Ledger(db, randomUUID(), leaseMs, options.vault, options.guard);
    this.#newcomers = new DueDestinations(this.#ledger);
    this.#channels = channels;
    this.#log = log;
    this.#failed = failureLog(log);
    this.#options = options;
    this.#now = now;
    this.#leaseMs = leaseMs;
    this.#timer = setInterval(() => {
      this.#newcomers.askForOrphans();
      this.#look();
    }, pollMs).unref();
    this.#look();
  }

  /** Number of destinations that this process serves. */
  get serving(): number {
    return this.#sessions.size;
  }

  /** Something may have been posted. Runs at once after a quiet period; frequent calls are combined. */
  wake(): void {
    if (this.#waking !== undefined || this.#isStopping) return;
    const gatherMs = Math.min(POLL_MS, Math.max(GATHER_MS, SPARE * this.#newcomers.costMs));
    const remainingMs = this.#wokenAt + gatherMs - performance.now();
    if (remainingMs <= 0) this.#look();
    else this.#waking = globalThis.setTimeout(() => this.#look(), remainingMs).unref();
  }

  #look(): void {
    clearTimeout(this.#waking);
    this.#waking = undefined;
    this.#wokenAt = performance.now();
    this.#newcomers.ask();
    for (const session of this.#sessions.values()) session.isHungry = true;
    this.#work();
  }

  /** Resolves when nothing is in progress. For tests. */
  async idle(): Promise<void> {
    while (this.#working || this.#sends > 0 || this.#waking) {
      await this.#working;
      await setImmediate();
    }
  }

  /** Waits, within a limit, for sends in progress and stores their outcomes; all unsent rows are queued again. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    clearTimeout(this.#waking);
    this.#waking = undefined;
    for (const session of this.#sessions.values()) session.giveAllBack();
    this.#work();
    const { graceMs = GRACE_MS } = this.#options;
    const patience = new AbortController();
    const abort = setTimeout(graceMs, undefined, { signal: patience.signal })
      .then(() => this.#aborting.abort())
      .catch(() => {});
    const giveUp = setTimeout(graceMs + PAUSE_MS, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([this.idle(), giveUp]);
    patience.abort();
    await abort;
    await this.#working;
    this.#isStopped = true;
    await Promise.all(Object.values(this.#channels).map((channel) => channel.close()));
  }

  #work(): void {
    if (this.#isStopped) return;
    this.#hasMore = true;
    this.#working ??= this.#rounds().finally(() => {
      this.#working = undefined;
    });
  }

  async #rounds(): Promise<void> {
    while (this.#hasMore) {
      this.#hasMore = false;
      try {
        await this.#round();
        this.#dispatch();
        await this.#expire();
      } catch (error) {
        this.#isUncertain = true;
        this.#failed(error, 'The outbox could not be read or written');
        if (this.#isStopping) return;
        this.#hasMore = true;
        await setTimeout(this.#options.pauseMs ?? PAUSE_MS, undefined, { ref: false });
      }
      // Yields to sockets, however much there is to do.
      await setImmediate();
    }
  }

  /** One transaction: stores outcomes, claims rows, acquires and releases destinations. */
  async #round(): Promise<void> {
    const now = this.#now();
    const newcomers = this.#isStopping ? [] : await this.#findNewcomers(now);
    const entries = [...this.#sessions.values()].filter((session) => this.#isDue(session, now)).map(entryOf);
    if (entries.length === 0 && newcomers.length === 0) return;
    const begun: { leased: Leased; claimed: Claimed[] }[] = [];
    try {
      await this.#ledger.transaction(async (tx) => {
        await this.#write(tx, entries, now);
        for (const entry of entries) await this.#claimMore(tx, entry, now);
        for (const id of newcomers) {
          const claimed = await this.#begin(tx, id, now);
          if (claimed) begun.push(claimed);
        }
      });
    } catch (error) {
      for (const { session, settled, returned } of entries) session.unwritten(settled, returned);
      throw error;
    } finally {
      this.#claiming = 0;
    }
    this.#isUncertain = false;
    for (const entry of entries) this.#written(entry, now);
    for (const { leased, claimed } of begun) this.#take(this.#open(leased, now), claimed, now);
  }

  async #findNewcomers(now: number): Promise<readonly number[]> {
    const most = Math.min(MOST_NEW, MAX_UNDER_WAY - this.#underWay());
    const { ids, hasMore } = await this.#newcomers.find((id) => this.#sessions.has(id), most, now);
    if (hasMore) this.#hasMore = true;
    return ids;
  }

  #isDue(session: DestinationSession, now: number): boolean {
    if (session.hasNews || this.#isUncertain) return true;
    if (isRenewalDue(session.leaseUntil, this.#leaseMs, now)) return true;
    return session.underWay === 0 || (session.isHungry && !this.#isStopping && session.room(now) > 0);
  }

  async #write(tx: AnyQuery, entries: readonly Entry[], now: number): Promise<void> {
    const returned: number[] = [];
    for (const entry of entries) {
      const { session } = entry;
      entry.secrets = await this.#ledger.keep(tx, session.id, entry.health, now);
      if (entry.secrets === undefined) continue;
      returned.push(...entry.returned);
      if (!this.#isUncertain) continue;
      // A failed transaction may have been committed nevertheless: then it claimed rows that no session has.
      const known = new Set(entry.settled.map(({ id }) => id));
      const sending = await this.#ledger.sending(tx, session.id);
      returned.push(...sending.filter((id) => !known.has(id) && !session.has(id)));
    }
    // For a destination that another process serves now, only deliveries are stored; failures are left to that process.
    const settled = entries.flatMap((entry) =>
      entry.secrets === undefined ? entry.settled.filter(({ change }) => change.state === 'sent') : entry.settled,
    );
    await this.#ledger.settle(tx, settled);
    await this.#ledger.giveBack(tx, returned);
  }

  async #claimMore(tx: AnyQuery, entry: Entry, now: number): Promise<void> {
    const { session, secrets } = entry;
    if (secrets === undefined) return;
    const room = this.#isStopping ? 0 : this.#roomOf(session, now);
    if (room > 0) {
      entry.claimed.push(...(await this.#ledger.claim(tx, session.id, session.isOrdered, room, now)));
      session.isHungry = entry.claimed.length === room;
      this.#claiming += entry.claimed.length;
    }
    // Sends that ended since this round began are not stored yet.
    const isSame = session.health === entry.health && !session.hasUnwrittenRows;
    entry.isReleased = session.underWay === 0 && entry.claimed.length === 0 && isSame;
    if (entry.isReleased) await this.#ledger.release(tx, session.id);
  }

  #written({ session, secrets, isReleased, claimed, written }: Entry, now: number): void {
    written();
    if (secrets !== undefined) session.renewed(now + this.#leaseMs, secrets);
    else session.isLost = true;
    if (session.health.state === 'off') this.#notifySwitchedOff(session);
    if (claimed.length > 0) this.#take(session, claimed, now);
    // A lost destination is removed once its sends have ended and are stored.
    else if (isReleased || (session.isLost && session.inFlight === 0 && !session.hasUnwrittenRows))
      this.#sessions.delete(session.id);
  }

  /** Leases a destination with its first rows; releases it at once if there is nothing to do. */
  async #begin(tx: AnyQuery, id: number, now: number): Promise<{ leased: Leased; claimed: Claimed[] } | undefined> {
    const leased = await this.#ledger.lease(tx, id, now);
    if (leased === undefined) return undefined;
    const session = this.#sessionOf(leased, now);
    const room = session ? this.#roomOf(session, now) : 0;
    const claimed =
      session && room > 0 ? await this.#ledger.claim(tx, id, session.isOrdered, room, now) : ([] as Claimed[]);
    this.#claiming += claimed.length;
    if (claimed.length > 0) return { leased, claimed };
    await this.#ledger.release(tx, id);
    if (!session || session.isOrdered) this.#newcomers.coolDown(id, now);
    return undefined;
  }

  #sessionOf(leased: Leased, now: number): DestinationSession | undefined {
    const channel = this.#channels[leased.kind];
    return channel && new DestinationSession(leased, channel, now + this.#leaseMs, this.#options.random ?? Math.random);
  }

  #open(leased: Leased, now: number): DestinationSession {
    const session = this.#sessionOf(leased, now)!;
    session.isHungry = true;
    this.#sessions.set(leased.id, session);
    return session;
  }

  #take(session: DestinationSession, claimed: readonly Claimed[], now: number): void {
    session.take(claimed, now);
    if (this.#isStopping) session.giveAllBack();
    if (session.hasNews) this.#work();
  }

  /**
   * How many more rows of a destination may be claimed. While many are claimed, one batch each, so that slow ones leave
   * room.
   */
  #roomOf(session: DestinationSession, now: number): number {
    const underWay = this.#underWay();
    const most = underWay < MAX_UNDER_WAY / 2 ? session.window : session.channel.batch;
    return Math.min(session.room(now), most, MAX_UNDER_WAY - underWay);
  }

  #underWay(): number {
    let count = this.#claiming;
    for (const session of this.#sessions.values()) count += session.underWay;
    return count;
  }

  /** Starts sends up to the limit, one batch per destination in turn. */
  #dispatch(): void {
    let isAnyBegun = true;
    while (isAnyBegun && !this.#isStopping) {
      isAnyBegun = false;
      for (const session of this.#sessions.values()) {
        if (this.#sends >= MOST_SENDS) return;
        if (session.inFlight > 0 && this.#sends >= MOST_SENDS / 2) continue;
        const batch = session.next();
        if (batch === undefined) continue;
        isAnyBegun = true;
        this.#send(session, batch);
      }
    }
  }

  async #send(session: DestinationSession, batch: SendBatch): Promise<void> {
    this.#sends++;
    // A paused process may have been considered dead: its claims may belong to another now.
    if (session.leaseUntil <= this.#now() || (await this.#isBarred(batch))) session.withdrawn(batch);
    else {
      const outcomes = await sendBatch(session, batch, this.#aborting.signal, this.#now(), this.#log);
      session.ended(batch, outcomes, this.#now());
    }
    this.#sends--;
    this.#dispatch();
    this.#work();
  }

  /** Whether rows of a batch that waited behind slow ones may no longer be sent; if that is unknown, it waits. */
  async #isBarred({ rows }: SendBatch): Promise<boolean> {
    const now = this.#now();
    const stale = rows.filter(({ claimedAt }) => now - claimedAt > FRESH_MS).map(({ id }) => id);
    if (stale.length === 0) return false;
    try {
      return await this.#ledger.isAnyBarred(stale);
    } catch (error) {
      this.#failed(error, 'Checking whether a delivery may still be sent failed');
      return true;
    }
  }

  #notifySwitchedOff({ kind, target }: DestinationSession): void {
    this.#options.switchedOff?.({ kind, target }).catch((error) => {
      this.#log.error({ error }, 'Processing a removed destination failed');
    });
  }

  async #expire(): Promise<void> {
    const now = this.#now();
    if (now < this.#nextExpiry || this.#isStopping) return;
    this.#nextExpiry = now + EXPIRY_MS;
    await expireOld(this.#db, now);
  }
}

function entryOf(session: DestinationSession): Entry {
  return { session, health: session.health, ...session.news(), claimed: [], isReleased: false };
}

/** Starts sending, including rows that a dead process held if no other process can be running. */
export async function startOutbox(
  db: AnyDatabase,
  channels: Readonly<Record<string, Channel>>,
  options: OutboxOptions,
): Promise<Outbox> {
  await freeLeasesOfDead(db, DESTINATION_LEASE);
  return new Outbox(db, channels, options);
}
