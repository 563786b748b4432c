import { runRows } from '../storage/bulk.ts';
import type { AnyDatabase, AnyQuery } from '../storage/database.ts';
import { isLeaseFree } from '../storage/lease.ts';
import { runSql } from '../storage/run-sql.ts';
import type { Cell } from '../storage/shape.ts';
import type { Vault } from '../vault.ts';
import { type OpenedSecrets, openSecrets, secretsInUse } from './destination-secrets.ts';
import { type Attempt, type Health, interrupted, type RowChange } from './fate.ts';
import { NO_GUARD, type SendGuard } from './guard.ts';
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

/** A destination for which something waits, as it was when it was looked at. */
export interface DueDestination {
  readonly id: number;
  readonly kind: string;
  readonly state: Health['state'];
  readonly nextTryAt: number | null;
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  /** Whether anything of it may go out already. */
  readonly isDue: 1 | null;
}

/** A destination that this process holds. */
export interface Leased {
  readonly id: number;
  readonly kind: string;
  readonly target: string;
  /** Whether it is the operator's own server, to which things of all users go. */
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
  /** Since when it is claimed. */
  readonly claimedAt: number;
}

type ClaimedCells = Omit<Claimed, 'attemptLog' | 'claimedAt'> & {
  readonly attemptLog: string | null;
  /** 1 and 0 on SQLite. */
  readonly mayGo: boolean | number;
};
/** A claim that finds rows which may not go claims others, this many times; what is left is claimed later. */
const MOST_CLAIMS = 10;
type LeasedCells = Pick<Leased, 'id' | 'kind' | 'target'> &
  Health & {
    readonly userId: number | null;
    readonly secrets: string | null;
  };

export interface Settled {
  readonly id: number;
  /** Within which order is kept, where the channel can. */
  readonly group: string;
  readonly change: RowChange;
}

/** The rows of the outbox as its runner sees them, in the name of one owner. */
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

  /** A page of them, and after which id the next one begins, where there is one. */
  async waiting(after: number, now: number): Promise<{ found: DueDestination[]; next: number | undefined }> {
    const found = await this.#waiting.all(after, now);
    return { found, next: found.length < PAGE ? undefined : found.at(-1)!.id };
  }

  async orphaned(now: number): Promise<number[]> {
    return (await this.#orphaned.all(now)).map(({ id }) => id);
  }

  /** Whether this process may take it, as it was when it was looked at. */
  isFree({ leaseOwner, leaseUntil }: DueDestination, now: number): boolean {
    return isLeaseFree({ owner: leaseOwner, until: leaseUntil }, this.#owner, now);
  }

  /** Takes a destination, unless another holds it. What an earlier holder was sending waits again. */
  async lease(tx: AnyQuery, id: number, now: number): Promise<Leased | undefined> {
    const [row] = await this.#run<LeasedCells>(tx, LEASE, this.#owner, now + this.#leaseMs, id, this.#owner, now);
    if (row === undefined) return undefined;
    await this.#adopt(tx, id, now);
    const { kind, target, userId, secrets, ...health } = row;
    const inUse = await secretsInUse(tx, this.#vault, id, secrets);
    return { id, kind, target, isShared: userId === null, secrets: inUse, health };
  }

  /** What an owner that is gone was sending waits again, with the attempt on record. */
  async #adopt(tx: AnyQuery, id: number, now: number): Promise<void> {
    const left = await this.#run<Pick<ClaimedCells, 'id' | 'attempts' | 'attemptLog'>>(tx, LEFT_BEHIND, id);
    await this.settle(
      tx,
      left.map((row) => ({ id: row.id, group: '', change: interrupted({ ...row, attemptLog: logOf(row) }, now) })),
    );
  }

  /** Notes the health of a destination; answers its secrets, or undefined where another has taken it. */
  async keep(tx: AnyQuery, id: number, health: Health, now: number): Promise<OpenedSecrets | undefined> {
    const cells = HEALTH.map((column) => health[column]);
    const [row] = await this.#run<{ secrets: string | null }>(tx, KEEP, now + this.#leaseMs, ...cells, id, this.#owner);
    return row && openSecrets(this.#vault, id, row.secrets);
  }

  async release(tx: AnyQuery, id: number): Promise<void> {
    await this.#run(tx, RELEASE, id, this.#owner);
  }

  /** The oldest that may go out, oldest first. What may not go any more is recorded as such. */
  async claim(tx: AnyQuery, id: number, isOrdered: boolean, count: number, now: number): Promise<Claimed[]> {
    const { refuse } = this.#guard;
    const isAskedApart = this.#db.groupOfSlot !== undefined;
    const { mayGo } = isAskedApart ? NO_GUARD : this.#guard;
    const claimed: Claimed[] = [];
    for (let claims = 0; claims < MOST_CLAIMS && claimed.length < count; claims++) {
      const most = count - claimed.length;
      const rows = isOrdered
        ? await this.#run<ClaimedCells>(tx, askingIn(CLAIM_IN_ORDER, mayGo), id, now, id, now, most)
        : await this.#run<ClaimedCells>(tx, askingIn(CLAIM, mayGo), id, now, most);
      const apart = isAskedApart ? await this.#guard.barred(tx, idsOf(rows)) : NONE;
      const barred: number[] = [];
      for (const { mayGo: isFree, attemptLog, ...row } of rows) {
        if (isFree && !apart.has(row.id)) claimed.push({ ...row, attemptLog: logOf({ attemptLog }), claimedAt: now });
        else barred.push(row.id);
      }
      if (barred.length === 0) break;
      await refuse(tx, barred, now);
    }
    return claimed.sort((a, b) => a.id - b.id);
  }

  /** Whether a row that was claimed a while ago may not go any more. */
  async isAnyBarred(ids: readonly number[]): Promise<boolean> {
    if (this.#guard === NO_GUARD) return false;
    if (this.#db.groupOfSlot !== undefined) return (await this.#guard.barred(this.#db.query, ids)).size > 0;
    return (await this.#run(this.#db.query, barredIn(ids.length, this.#guard.mayGo), ...ids)).length > 0;
  }

  /** All that the outbox says is being sent to a destination. */
  async sending(tx: AnyQuery, id: number): Promise<number[]> {
    return (await this.#run<{ id: number }>(tx, SENDING, id)).map((row) => row.id);
  }

  async settle(tx: AnyQuery, settled: readonly Settled[]): Promise<void> {
    const rows = settled.map(({ id, change: { state, reason, attempts, attemptLog, nextAt, ended } }) => {
      const log = attemptLog.length === 0 ? null : JSON.stringify(attemptLog);
      return [state, reason, attempts, log, nextAt, ended, id];
    });
    await runRows(tx, this.#db.storeKind, SETTLE, rows);
  }

  async giveBack(tx: AnyQuery, ids: readonly number[]): Promise<void> {
    const rows = ids.map((id) => ['queued', id]);
    await runRows(tx, this.#db.storeKind, RETURN, rows);
  }

  async #run<R>(tx: AnyQuery, sql: string, ...cells: Cell[]): Promise<R[]> {
    return runSql<R>(tx, this.#db.storeKind, sql, cells);
  }
}

const NONE: ReadonlySet<number> = new Set();
const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

const logOf = ({ attemptLog }: Pick<ClaimedCells, 'attemptLog'>): Attempt[] =>
  attemptLog === null ? [] : JSON.parse(attemptLog);
