import type { Writable } from 'node:stream';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { recentlyUsed } from '../../caches.ts';
import { postgresRows } from '../bulk.ts';
import { AT_COMMIT, joinedRows, LATER, type LaterStatement, type RowsAtCommit } from '../later.ts';
import type { SlotKeys } from '../placement.ts';
import { preparedName } from '../run-sql.ts';
import { StoreTrouble, type TroubleKind } from '../trouble.ts';
import type { NewIds, SlotNamer } from './slots/name-slots.ts';

const LOST: readonly TroubleKind[] = ['unavailable', 'readOnly'];
/** Maximum number of waiting requests for a connection: further ones are refused at once. */
const MAX_WAITING = 2000;

const TAKE_IDS = `SELECT CAST(array_agg(nextval(CAST($1 AS regclass))) AS TEXT) AS "ids"
  FROM generate_series(1, CAST($2 AS INTEGER))`;

type SentPart = Pick<ReturnType<SlotNamer>, 'sql' | 'cells' | 'form'>;

interface StoreClientOptions {
  /** The error in the form for code above the store. */
  toStoreError(error: unknown): unknown;
  /** Whether statements of the hot path are prepared once per connection. */
  readonly isPreparing: boolean;
  /** Converts statements for sending. */
  readonly named: SlotNamer;
  /** Whether rows are spread over several servers. */
  readonly isSpread?: boolean | undefined;
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
  if (waitingCount >= MAX_WAITING) throw new StoreTrouble('busy', new Error('Too many wait for a connection.'));
}

/**
 * One connection, for as long as one user of the pool has it. A connection that did not answer once is not asked again,
 * not even to roll back, and is closed when it is released.
 */
function storeClient(client: PoolClient, options: StoreClientOptions) {
  const { toStoreError, isPreparing, named, isSpread = false, needsTurn, committedRows } = options;
  let lost: unknown;
  let waiting: RowsAtCommit[] = [];
  /** What goes with the next message. A transaction begins with its first statement. */
  let later: LaterStatement[] = [];
  let isBegun = false;
  let mayNeedTurn = false;

  const send = (sql: string, cells: readonly unknown[]) => {
    const sent = named(sql, cells);
    const prepared = isPreparing ? preparedName(sql) : undefined;
    const one = ({ sql: text, cells: values, form }: SentPart) =>
      client.query({ name: prepared && form ? `${prepared}.${form}` : prepared, text, values: values as unknown[] });
    const { more = [], newIds } = sent;
    if (newIds !== undefined)
      return takeIds(newIds).then((ids) =>
        joined([sent, ...more].map((part) => one({ ...part, cells: part.cells.with(newIds.cell, ids) }))),
      );
    return more.length > 0 ? joined([sent, ...more].map(one)) : one(sent);
  };

  /** The next ids of a table, as a list. */
  const takeIds = async ({ table, count }: NewIds): Promise<string> => {
    const name = isPreparing ? 'take ids' : undefined;
    const { rows } = await client.query({ name, text: TAKE_IDS, values: [`"${table}_ids"`, count] });
    return rows[0].ids;
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
      (isSpread ? statement.spread : [statement.postgres]).map((one) => postgresRows(one, rows)),
    );
    waiting = [];
    const before = [...takeLater(), ...works.map((work) => ({ sql: work.sql, cells: work.parameters }))];
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

/** The answers to the parts of a statement, as one. */
async function joined<R extends { rows: unknown[]; rowCount: number | null }>(
  answers: readonly Promise<R>[],
): Promise<R> {
  const settled = await Promise.allSettled(answers);
  for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
  const [first, ...more] = settled.map((outcome) => (outcome as PromiseFulfilledResult<R>).value);
  for (const { rows, rowCount } of more) {
    first!.rows.push(...rows);
    first!.rowCount = (first!.rowCount ?? 0) + (rowCount ?? 0);
  }
  return first!;
}

const WRITES = /\b(?:insert\s+into|update|delete\s+from)\s+"(\w+)"/gi;
const REMEMBERED = 1000;

/**
 * Whether a statement writes to a reference table, which every server has a copy of. Citus locks the whole of such a
 * table for an update and shares the lock for an insert, so transactions that do both would wait for each other: these
 * take turns.
 */
export function referenceWrites({ references = [] }: SlotKeys): (sql: string) => boolean {
  const copied = new Set(references);
  return recentlyUsed(REMEMBERED, (sql) => [...sql.matchAll(WRITES)].some(([, table]) => copied.has(table!)));
}

/** One at a time. Released at the end of the transaction. */
const TAKE_TURN = 'SELECT pg_advisory_xact_lock(5071432086)';
