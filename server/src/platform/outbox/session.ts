import type { Because } from '../because.ts';
import type { Channel, Destination, Parcel, SendOutcome } from './channel.ts';
import type { OpenedSecrets } from './destinations.ts';
import type { Claimed, Leased, Settled } from './ledger.ts';
import { changeAfter, expired, type Health, healthAfter, isAliveBy, judged, type Random } from './retries.ts';

/** Rows in one `send`. */
export interface SendBatch {
  readonly rows: readonly Claimed[];
  readonly groups: readonly string[];
  /** The health generation of the destination when it started. */
  readonly turn: number;
}

/** A destination while this process serves it: its claimed rows, and the outcomes that are not stored yet. */
export class DestinationSession {
  readonly id: number;
  readonly kind: string;
  readonly target: string;
  readonly channel: Channel;
  readonly isOrdered: boolean;
  /** Maximum number of claimed rows without a stored outcome: a kill repeats no more than these. */
  readonly window: number;
  health: Health;
  leaseUntil: number;
  /** Whether more rows may be waiting than are claimed. */
  isHungry = false;
  /** Whether another process has leased the destination. */
  isLost = false;
  /** Number of sends in progress. */
  inFlight = 0;
  readonly #isShared: boolean;
  readonly #sending = new Set<number>();
  #secrets: OpenedSecrets;
  #turn = 0;
  #isNew = false;
  #rows: Claimed[] = [];
  readonly #busy = new Set<string>();
  #settled: Settled[] = [];
  #returned: number[] = [];
  readonly #random: Random;

  constructor(leased: Leased, channel: Channel, leaseUntil: number, random: Random) {
    this.id = leased.id;
    this.kind = leased.kind;
    this.target = leased.target;
    this.channel = channel;
    this.isOrdered = channel.isOrdered(leased.target);
    this.window = 2 * channel.batch * channel.concurrency;
    this.health = leased.health;
    this.leaseUntil = leaseUntil;
    this.#isShared = leased.isShared;
    this.#secrets = leased.secrets;
    this.#random = random;
  }

  /** The number of rows that it can still accept. A destination that is down is tried with one. */
  room(now: number): number {
    if (this.isLost || this.health.state === 'off' || (this.health.nextTryAt ?? 0) > now) return 0;
    const { underWay } = this;
    if (this.health.state === 'down') return underWay === 0 ? 1 : 0;
    // Sent rows without a stored outcome would be sent again after a kill.
    const room = this.window - underWay - this.#settled.length;
    // Half a window at a time: a claim for each sent row would cost a statement each.
    return room >= this.window / 2 ? room : 0;
  }

  get underWay(): number {
    return this.#rows.length + this.#sending.size;
  }

  get hasNews(): boolean {
    return this.#isNew || this.hasUnwrittenRows;
  }

  get hasUnwrittenRows(): boolean {
    return this.#settled.length > 0 || this.#returned.length > 0;
  }

  /**
   * Accepts claimed rows. Expired ones are not sent any more. Sends may have ended during the claim without the store
   * knowing: rows that must wait for these are returned.
   */
  take(rows: readonly Claimed[], now: number): void {
    const [old, good] = [rows.filter(({ expires }) => expires <= now), rows.filter(({ expires }) => expires > now)];
    this.#rows.push(...good);
    const { state, nextTryAt } = this.health;
    if (state === 'off' || (nextTryAt ?? 0) > now) this.giveAllBack();
    else if (this.isOrdered) this.#giveBack((row) => this.#isBehindFailed(row));
    for (const row of old) {
      const { id, attempts, attemptLog } = row;
      const change = {
        state: 'dead',
        ...expired(this.#lastFailure(row)),
        attempts,
        attemptLog,
        nextAt: now,
        ended: now,
      } as const;
      this.#settled.push({ id, group: groupOf(row), change });
    }
  }

  /** The last response of a shared server may be about another user. */
  #lastFailure({ attemptLog }: Claimed): Because | null {
    const last = attemptLog.at(-1);
    if (last) return { reason: last.reason, reasonDetails: last.details && JSON.stringify(last.details) };
    const { lastError, lastErrorDetails } = this.health;
    return this.#isShared || lastError === null ? null : { reason: lastError, reasonDetails: lastErrorDetails };
  }

  /** The next rows to send together, if the destination can accept more now. */
  next(): SendBatch | undefined {
    const { channel } = this;
    if (this.isLost || this.inFlight >= (this.health.state === 'up' ? channel.concurrency : 1)) return undefined;
    const groups = new Set<string>();
    const rows: Claimed[] = [];
    const left: Claimed[] = [];
    for (const row of this.#rows) {
      const group = groupOf(row);
      // One of a group at a time, to keep the order. Several go together only if no order is promised.
      const isFree = !this.#busy.has(group) && !(this.isOrdered && groups.has(group));
      if (rows.length < channel.batch && isFree) {
        rows.push(row);
        groups.add(group);
      } else {
        left.push(row);
      }
    }
    if (rows.length === 0) return undefined;
    this.#rows = left;
    for (const group of groups) this.#busy.add(group);
    this.inFlight++;
    for (const { id } of rows) this.#sending.add(id);
    return { rows, groups: [...groups], turn: this.#turn };
  }

  /** The destination for the channel; only secrets that have not expired sign. Undefined if they cannot be read. */
  destination(now: number): Destination | undefined {
    if (this.#secrets === 'unreadable') return undefined;
    const valid = this.#secrets.filter(({ until }) => until === null || until > now);
    return { id: this.id, target: this.target, secrets: valid.map(({ secret }) => secret) };
  }

  /** Records the outcomes of a batch. */
  ended(batch: SendBatch, given: readonly SendOutcome[], now: number): void {
    const outcomes = batch.rows.map((row, i) => judged(row, given[i]!));
    this.inFlight--;
    for (const { id } of batch.rows) this.#sending.delete(id);
    for (const group of batch.groups) this.#busy.delete(group);
    const isAlive = isAliveBy(outcomes);
    batch.rows.forEach((row, i) => {
      const change = changeAfter(row, outcomes[i]!, isAlive, now);
      this.#settled.push({ id: row.id, group: groupOf(row), change });
      if (change.state === 'queued' && this.isOrdered) this.#giveBack((other) => groupOf(other) === groupOf(row));
    });
    const before = this.health;
    this.health = healthAfter(before, outcomes, batch.turn !== this.#turn, now, this.#random);
    this.#isNew = true;
    this.isHungry = true;
    if (this.health.state !== before.state || this.health.failures !== before.failures) this.#turn++;
    if (this.health.state !== 'up') this.#giveBack(() => true);
  }

  /** A batch that was not sent after all is queued again. */
  withdrawn(batch: SendBatch): void {
    this.inFlight--;
    for (const { id } of batch.rows) this.#sending.delete(id);
    for (const group of batch.groups) this.#busy.delete(group);
    this.#returned.push(...batch.rows.map(({ id }) => id));
    // Nothing overtakes it.
    this.giveAllBack();
    this.isHungry = true;
  }

  /** Whether a row in state `sending` belongs to this session. */
  has(id: number): boolean {
    const isThis = (row: { readonly id: number }) => row.id === id;
    return this.#sending.has(id) || this.#rows.some(isThis) || this.#settled.some(isThis);
  }

  #isBehindFailed(row: Claimed): boolean {
    return this.#settled.some(({ change, group }) => change.state === 'queued' && group === groupOf(row));
  }

  /** Returns claimed rows that are not sent. */
  giveAllBack(): void {
    this.#giveBack(() => true);
  }

  #giveBack(which: (row: Claimed) => boolean): void {
    this.#returned.push(...this.#rows.filter(which).map(({ id }) => id));
    this.#rows = this.#rows.filter((row) => !which(row));
  }

  /** The changes to store; `written` forgets them afterwards. */
  news(): { settled: readonly Settled[]; returned: readonly number[]; written(): void } {
    const [settled, returned] = [this.#settled, this.#returned];
    [this.#settled, this.#returned] = [[], []];
    const health = this.health;
    return {
      settled,
      returned,
      written: () => {
        if (this.health === health) this.#isNew = false;
      },
    };
  }

  /** Storing failed: the changes are kept for the next round. */
  unwritten(settled: readonly Settled[], returned: readonly number[]): void {
    this.#settled.unshift(...settled);
    this.#returned.unshift(...returned);
    this.#isNew = true;
  }

  renewed(leaseUntil: number, secrets: OpenedSecrets): void {
    this.leaseUntil = leaseUntil;
    this.#secrets = secrets;
  }
}

export const groupOf = ({ deviceId, userId }: Pick<Claimed, 'deviceId' | 'userId'>) =>
  deviceId === null ? `user-${userId}` : `device-${deviceId}`;

export const parcelOf = (row: Claimed): Parcel => ({
  id: row.id,
  messageId: row.messageId,
  group: groupOf(row),
  address: row.address,
  content: JSON.parse(row.content),
  createdAt: row.created,
});
