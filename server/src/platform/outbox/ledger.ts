import { runRows } from '../storage/bulk.ts';
import type { AnyDatabase, AnyQuery } from '../storage/database.ts';
import { isLeaseFree } from '../storage/lease.ts';
import { runSql } from '../storage/run-sql.ts';
import type { Cell } from '../storage/shape.ts';
import type { Vault } from '../vault.ts';
import { openSecrets, secretsInUse } from './destination-secrets.ts';
import type { Secret } from './destinations.ts';
import type { Attempt, Health, RowChange } from './fate.ts';
import {
  ADOPT,
  CLAIM,
  CLAIM_IN_ORDER,
  FIND_ORPHANED,
  FIND_WAITING,
  HEALTH,
  KEEP,
  LEASE,
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
  readonly secrets: readonly Secret[];
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
}

type ClaimedCells = Omit<Claimed, 'attemptLog'> & { readonly attemptLog: string | null };
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

  constructor(db: AnyDatabase, owner: string, leaseMs: number, vault: Vault) {
    this.#vault = vault;
    this.#db = db;
    this.#owner = owner;
    this.#leaseMs = leaseMs;
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
    await this.#run(tx, ADOPT, id);
    const { kind, target, userId, secrets, ...health } = row;
    const inUse = await secretsInUse(tx, this.#vault, id, secrets);
    return { id, kind, target, isShared: userId === null, secrets: inUse, health };
  }

  /** Notes the health of a destination; answers its secrets, or undefined where another has taken it. */
  async keep(tx: AnyQuery, id: number, health: Health, now: number): Promise<readonly Secret[] | undefined> {
    const cells = HEALTH.map((column) => health[column]);
    const [row] = await this.#run<{ secrets: string | null }>(tx, KEEP, now + this.#leaseMs, ...cells, id, this.#owner);
    return row && openSecrets(this.#vault, id, row.secrets);
  }

  async release(tx: AnyQuery, id: number): Promise<void> {
    await this.#run(tx, RELEASE, id, this.#owner);
  }

  /** The oldest that may go out, oldest first. */
  async claim(tx: AnyQuery, id: number, isOrdered: boolean, count: number, now: number): Promise<Claimed[]> {
    const rows = isOrdered
      ? await this.#run<ClaimedCells>(tx, CLAIM_IN_ORDER, id, now, id, now, count)
      : await this.#run<ClaimedCells>(tx, CLAIM, id, now, count);
    return rows
      .map((row) => ({ ...row, attemptLog: row.attemptLog === null ? [] : (JSON.parse(row.attemptLog) as Attempt[]) }))
      .sort((a, b) => a.id - b.id);
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
