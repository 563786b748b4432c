import type { Writable } from 'node:stream';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { recentlyUsed } from '../../caches.ts';
import { postgresRows, spreadRows } from '../bulk.ts';
import type { ShardOf } from '../dialect.ts';
import { AT_COMMIT, joinedRows, LATER, type LaterStatement, type RowsAtCommit } from '../later.ts';
import { type Placements, referenceTables } from '../placement.ts';
import { preparedName } from '../run-sql.ts';
import { StoreTrouble, type TroubleKind } from '../trouble.ts';

const LOST: readonly TroubleKind[] = ['unavailable', 'readOnly'];
/** Maximum number of waiting requests for a connection: further ones are refused at once. */
const MAX_WAITING = 2000;

interface StoreClientOptions {
  /** The error in the form for code above the store. */
  toStoreError(error: unknown): unknown;
  /** Whether statements of the hot path are prepared once per connection. */
  readonly isPreparing: boolean;
  /** Fails for a statement that must not be sent. */
  readonly guard?: ((sql: string) => void) | undefined;
  /** Only where rows are distributed. */
  readonly shardOf?: ShardOf | undefined;
  /** Which statements need a turn of their transaction, if any do. */
  readonly needsTurn?: ((sql: string) => boolean) | undefined;
  /** Called once rows of a last statement are committed. */
  committedRows(): void;
}

/** The pool as Kysely uses it. */
export function storePool(pool: Pool, options: StoreClientOptions): PostgresPool {
  return {
    async connect() {
      try {
        refuseCrowd(pool);
        return storeClient(await pool.connect(), options) as unknown as PostgresPoolClient;
      } catch (error) {
        throw options.toStoreError(error);
      }
    },
    end: () => pool.end(),
  } as PostgresPool;
}

export function refuseCrowd({ waitingCount }: Pool): void {
  if (waitingCount >= MAX_WAITING)
    throw new StoreTrouble('busy', new Error('Too many requests wait for a connection.'));
}

/**
 * One connection, for as long as one user of the pool has it. A connection that did not answer once is not asked again,
 * not even to roll back, and is closed when it is released.
 */
function storeClient(client: PoolClient, options: StoreClientOptions) {
  const { toStoreError, isPreparing, guard, shardOf, needsTurn, committedRows } = options;
  let lost: unknown;
  let waiting: RowsAtCommit[] = [];
  /** What goes with the next message. A transaction begins with its first statement. */
  let later: LaterStatement[] = [];
  let isBegun = false;
  let mayNeedTurn = false;

  const send = (sql: string, cells: readonly unknown[]) => {
    guard?.(sql);
    return client.query({
      name: isPreparing ? preparedName(sql) : undefined,
      text: sql,
      values: cells as unknown[],
    });
  };

  /**
   * Sends statements as one message. The connection is in pipeline mode: the server has the last before it has done the
   * first. Answers that of the last; or fails as the first that did, which is why those behind it do.
   */
  async function sendAll(before: readonly LaterStatement[], last: () => Promise<QueryResult>): Promise<QueryResult> {
    if (before.length === 0) return last();
    const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
    const sent: Promise<QueryResult>[] = [];
    stream.cork();
    try {
      for (const { sql, cells, answered } of before) {
        const answer = BEGINS.test(sql) || sql === TAKE_TURN ? client.query(sql) : send(sql, cells);
        sent.push(answer);
        answered?.(answer.then(({ rows }) => rows));
      }
      sent.push(Promise.try(last));
    } finally {
      stream.uncork();
    }
    const settled = await Promise.allSettled(sent);
    for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
    return (settled.at(-1) as PromiseFulfilledResult<QueryResult>).value;
  }

  /** The statements that go first now. */
  function takeLater(): LaterStatement[] {
    const taken = later;
    later = [];
    isBegun ||= taken.some(({ sql }) => BEGINS.test(sql));
    return taken;
  }

  async function commit(sql: string): Promise<QueryResult | typeof NOTHING> {
    const works = joinedRows(waiting).flatMap(({ statement, rows }) =>
      shardOf === undefined
        ? postgresRows(statement.postgres, rows)
        : statement.spread.flatMap((step) => spreadRows(step, rows, shardOf)),
    );
    waiting = [];
    const before = [...takeLater(), ...works];
    // Nothing was done.
    if (before.length === 1 && BEGINS.test(before[0]!.sql)) return end();
    // The commit of a transaction with a failed statement rolls it back.
    const committed = await sendAll(before, () => client.query(sql));
    if (works.length > 0) committedRows();
    end();
    return committed;
  }

  function end(): typeof NOTHING {
    waiting = [];
    later = [];
    isBegun = false;
    return NOTHING;
  }

  return {
    async query(sql: string, cells: readonly unknown[]) {
      if (lost !== undefined) throw lost;
      try {
        if (sql === AT_COMMIT) {
          waiting.push(cells[0] as RowsAtCommit);
          return NOTHING;
        }
        if (sql === LATER) {
          later.push(...(cells[0] as LaterStatement[]));
          return NOTHING;
        }
        if (BEGINS.test(sql)) {
          later = [{ sql, cells: [] }];
          mayNeedTurn = needsTurn !== undefined;
          return NOTHING;
        }
        if (sql === 'commit') return await commit(sql);
        if (sql === 'rollback') {
          const isThere = isBegun;
          end();
          return isThere ? await client.query(sql) : NOTHING;
        }
        if (mayNeedTurn && needsTurn!(sql)) {
          mayNeedTurn = false;
          later.push({ sql: TAKE_TURN, cells: [] });
        }
        return await sendAll(takeLater(), () => send(sql, cells));
      } catch (error) {
        const thrown = toStoreError(error);
        // One that can't write any more leads to a server that has become a standby.
        if (thrown instanceof StoreTrouble && LOST.includes(thrown.kind)) lost = thrown;
        throw thrown;
      }
    },
    release(discard?: boolean) {
      client.release(discard || lost !== undefined);
      if (lost === undefined && waiting.length + later.length > 0)
        throw new Error('Rows for a commit were given outside a transaction.');
    },
  };
}

const NOTHING = { rows: [] as unknown[] };
/** As Kysely begins transactions. */
const BEGINS = /^(?:begin|start transaction)\b/;

const WRITES = /\b(?:insert\s+into|update|delete\s+from)\s+"(\w+)"/gi;
const REMEMBERED = 1000;

/**
 * Whether a statement writes to a reference table, which every server has a copy of. Citus locks the whole of such a
 * table for an update and shares the lock for an insert, so transactions that do both would wait for each other: these
 * take turns.
 */
export function referenceWrites(placements: Placements): (sql: string) => boolean {
  const copied = new Set(referenceTables(placements));
  return recentlyUsed(REMEMBERED, (sql) => [...sql.matchAll(WRITES)].some(([, table]) => copied.has(table!)));
}

/** One at a time. Released at the end of the transaction. */
const TAKE_TURN = 'SELECT pg_advisory_xact_lock(5071432086)';
