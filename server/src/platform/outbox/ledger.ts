import { runRows } from '../storage/bulk.ts';
import type { AnyDatabase, AnyQuery } from '../storage/database.ts';
import { isLeaseFree } from '../storage/lease.ts';
import { runSql } from '../storage/run-sql.ts';
import type { Cell } from '../storage/shape.ts';
import type { Vault } from '../vault.ts';
import { type OpenedSecrets, openSecrets, secretsInUse } from './destinations.ts';
import { type Attempt, type Health, interrupted, type RowChange } from './retries.ts';
import {
  askingIn,
  barredIn,
  CLAIM,
  CLAIM_IN_ORDER,
  FIND_ORPHANED,
  FIND_WAITING,
  HEALTH,
  KEEP,
  LEASE,
  LEFT_BEHIND,
  PAGE,
  RELEASE,
  RETURN,
  SENDING,
  SETTLE,
} from './statements.ts';

/** A destination with waiting rows, at the time of the search. */
interface DueDestination {
  readonly id: number;
  readonly kind: string;
  readonly state: Health['state'];
  readonly nextTryAt: number | null;
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  /** Whether any of its rows is due. */
  readonly isDue: 1 | null;
}

/** A destination leased by this process. */
export interface Leased {
  readonly id: number;
  readonly kind: string;
  readonly target: string;
  /** Whether it is the operator's own server, which all users share. */
  readonly isShared: boolean;
  readonly secrets: OpenedSecrets;
  readonly health: Health;
}

/** A row that is being sent. */
export interface Claimed {
  readonly id: number;
  readonly messageId: string;
  readonly userId: number;
  readonly deviceId: number | null;
  readonly address: string | null;
  readonly content: string;
  readonly attempts: number;
  readonly attemptLog: readonly Attempt[];
  readonly expires: number;
  readonly created: number;
  /** Time of the claim. */
  readonly claimedAt: number;
}

type ClaimedCells = Omit<Claimed, 'attemptLog' | 'claimedAt'> & {
  readonly attemptLog: string | null;
  /** 1 and 0 on SQLite. */
  readonly mayGo: boolean | number;
};
/**
 * A claim that finds rows which may not be sent claims others, this many times; the remaining ones are claimed later.
 */
const MOST_CLAIMS = 10;
type LeasedCells = Pick<Leased, 'id' | 'kind' | 'target'> &
  Health & {
    readonly userId: number | null;
    readonly secrets: string | null;
  };

export interface Settled {
  readonly id: number;
  /** Order is kept within a group, if the channel supports it. */
  readonly group: string;
  readonly change: RowChange;
}

/** The rows of the outbox for one worker. */
export class Ledger {
  readonly #db: AnyDatabase;
  readonly #owner: string;
  readonly #leaseMs: number;
  readonly #vault: Vault;
  readonly #waiting;
  readonly #orphaned;
  readonly #guard: SendGuard;

  constructor(db: AnyDatabase, owner: string, leaseMs: number, vault: Vault, guard: SendGuard = NO_GUARD) {
    this.#vault = vault;
    this.#db = db;
    this.#owner = owner;
    this.#leaseMs = leaseMs;
    this.#guard = guard;
    this.#waiting = db.prepare<DueDestination>('outbox.waiting', FIND_WAITING);
    this.#orphaned = db.prepare<{ id: number }>('outbox.orphaned', FIND_ORPHANED);
  }

  transaction<T>(work: (tx: AnyQuery) => Promise<T>): Promise<T> {
    return this.#db.transaction(work);
  }

  /** A page of them, and the id after which the next page starts, if there is one. */
  async waiting(after: number, now: number): Promise<{ found: DueDestination[]; next: number | undefined }> {
    const found = await this.#waiting.all(after, now);
    return { found, next: found.length < PAGE ? undefined : found.at(-1)!.id };
  }

  async orphaned(now: number): Promise<number[]> {
    return (await this.#orphaned.all(now)).map(({ id }) => id);
  }

  /** Whether this process may lease it, at the time of the search. */
  isFree({ leaseOwner, leaseUntil }: DueDestination, now: number): boolean {
    return isLeaseFree({ owner: leaseOwner, until: leaseUntil }, this.#owner, now);
  }

  /** Leases a destination, unless another process has it. Rows that an earlier holder was sending are queued again. */
  async lease(tx: AnyQuery, id: number, now: number): Promise<Leased | undefined> {
    const [row] = await this.#run<LeasedCells>(tx, LEASE, this.#owner, now + this.#leaseMs, id, this.#owner, now);
    if (row === undefined) return undefined;
    await this.#adopt(tx, id, now);
    const { kind, target, userId, secrets, ...health } = row;
    const inUse = await secretsInUse(tx, this.#vault, id, secrets);
    return { id, kind, target, isShared: userId === null, secrets: inUse, health };
  }

  /** Rows that a dead owner was sending are queued again, with a recorded attempt. */
  async #adopt(tx: AnyQuery, id: number, now: number): Promise<void> {
    const left = await this.#run<Pick<ClaimedCells, 'id' | 'attempts' | 'attemptLog'>>(tx, LEFT_BEHIND, id);
    await this.settle(
      tx,
      left.map((row) => ({ id: row.id, group: '', change: interrupted({ ...row, attemptLog: logOf(row) }, now) })),
    );
  }

  /** Stores the health of a destination; returns its secrets, or undefined if another process has it. */
  async keep(tx: AnyQuery, id: number, health: Health, now: number): Promise<OpenedSecrets | undefined> {
    const cells = HEALTH.map((column) => health[column]);
    const [row] = await this.#run<{ secrets: string | null }>(tx, KEEP, now + this.#leaseMs, ...cells, id, this.#owner);
    return row && openSecrets(this.#vault, id, row.secrets);
  }

  async release(tx: AnyQuery, id: number): Promise<void> {
    await this.#run(tx, RELEASE, id, this.#owner);
  }

  /** The oldest due rows, oldest first. Rows that may no longer be sent are recorded as such. */
  async claim(tx: AnyQuery, id: number, isOrdered: boolean, count: number, now: number): Promise<Claimed[]> {
    const { refuse } = this.#guard;
    const isAskedApart = this.#db.dialect.isDistributed;
    const { mayGo } = isAskedApart ? NO_GUARD : this.#guard;
    const claimed: Claimed[] = [];
    for (let claims = 0; claims < MOST_CLAIMS && claimed.length < count; claims++) {
      const most = count - claimed.length;
      const rows = isOrdered
        ? await this.#run<ClaimedCells>(tx, askingIn(CLAIM_IN_ORDER, mayGo), id, now, id, now, most)
        : await this.#run<ClaimedCells>(tx, askingIn(CLAIM, mayGo), id, now, most);
      const withoutAccess = isAskedApart ? await this.#guard.barred(tx, idsOf(rows)) : NONE;
      const barred: number[] = [];
      for (const { mayGo: isFree, attemptLog, ...row } of rows) {
        if (isFree && !withoutAccess.has(row.id))
          claimed.push({ ...row, attemptLog: logOf({ attemptLog }), claimedAt: now });
        else barred.push(row.id);
      }
      if (barred.length === 0) break;
      await refuse(tx, barred, now);
    }
    return claimed.sort((a, b) => a.id - b.id);
  }

  /** Whether a row that was claimed a while ago may no longer be sent. */
  async isAnyBarred(ids: readonly number[]): Promise<boolean> {
    if (this.#guard === NO_GUARD) return false;
    if (this.#db.dialect.isDistributed) return (await this.#guard.barred(this.#db.query, ids)).size > 0;
    return (await this.#run(this.#db.query, barredIn(ids.length, this.#guard.mayGo), ...ids)).length > 0;
  }

  /** All rows in state `sending` of a destination. */
  async sending(tx: AnyQuery, id: number): Promise<number[]> {
    return (await this.#run<{ id: number }>(tx, SENDING, id)).map((row) => row.id);
  }

  async settle(tx: AnyQuery, settled: readonly Settled[]): Promise<void> {
    const rows = settled.map(
      ({ id, change: { state, reason, reasonDetails, attempts, attemptLog, nextAt, ended } }) => {
        const log = attemptLog.length === 0 ? null : JSON.stringify(attemptLog);
        return [state, reason, reasonDetails, attempts, log, nextAt, ended, id];
      },
    );
    await runRows(tx, SETTLE, rows);
  }

  async giveBack(tx: AnyQuery, ids: readonly number[]): Promise<void> {
    const rows = ids.map((id) => ['queued', id]);
    await runRows(tx, RETURN, rows);
  }

  async #run<R>(tx: AnyQuery, sql: string, ...cells: Cell[]): Promise<R[]> {
    return runSql<R>(tx, sql, cells);
  }
}

const NONE: ReadonlySet<number> = new Set();
const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

const logOf = ({ attemptLog }: Pick<ClaimedCells, 'attemptLog'>): Attempt[] =>
  attemptLog === null ? [] : JSON.parse(attemptLog);

/** Checks whether a row may still be sent, at the time of sending, regardless of when it was posted. */
export interface SendGuard {
  /** An SQL expression about a row of the table "outbox". */
  readonly mayGo: string;
  /** The rows that may not be sent: the same check for rows on several servers, where no expression can express it. */
  barred(on: AnyQuery, ids: readonly number[]): Promise<ReadonlySet<number>>;
  /** Records that these rows may not be sent, in the transaction that found it. They are `sending` until then. */
  refuse(tx: AnyQuery, ids: readonly number[], now: number): Promise<void>;
}

/** Allows everything. */
const NO_GUARD: SendGuard = { mayGo: '1 = 1', barred: async () => new Set(), refuse: async () => {} };
