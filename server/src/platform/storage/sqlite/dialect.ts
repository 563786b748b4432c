import type { DatabaseSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Dialect as KyselyDialect,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { isEachRow } from '../bulk.ts';
import { type DialectAdapter, SQLITE } from '../dialect.ts';
import type { Cell } from '../shape.ts';
import type { Mutex } from './locks.ts';
import { type Order, rowsOf, type StatementResult, statementRunner, toStoreError } from './statements.ts';
import type { SqliteWriter } from './writer.ts';

export interface Connections {
  readonly writer: SqliteWriter;
  /** Held while a transaction or statement is open on the writer. */
  readonly writing: Mutex;
  /** Sees only committed data, so it needs no lock. */
  readonly reader: DatabaseSync;
  /** Called after each commit of this process. */
  readonly committed: (pagesLeft: number) => void;
  /** Throws while nothing may be written. */
  readonly requireWritable: () => void;
  /** Told of every error of the reader before it is thrown. */
  readonly failed: (error: unknown) => void;
}

/** Kysely on `node:sqlite`. */
export const sqliteDialect = (connections: Connections) => kyselyDialect(sqliteDriver(connections));

/** The same for the writer thread: every statement runs at once on its only connection. */
export function directDialect(run: (order: Order) => StatementResult): KyselyDialect {
  const connection: DatabaseConnection = {
    executeQuery: async <R>(query: CompiledQuery) => resultOf<R>(throwingStoreErrors(run)(orderOf(query))),
    streamQuery: noStream,
  };
  const refuse = () => Promise.reject(new Error('The work is in its transaction already.'));
  return kyselyDialect({
    async init() {},
    async destroy() {},
    acquireConnection: async () => connection,
    async releaseConnection() {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
  });
}

const kyselyDialect = (driver: Driver): KyselyDialect => ({
  createAdapter: () => new ConcurrentSqliteAdapter(),
  createDriver: () => driver,
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new LocklessQueryCompiler(),
});

/** Runs the statement and throws errors as `toStoreError` has them. */
const throwingStoreErrors =
  (run: (order: Order) => StatementResult, failed: (error: unknown) => void = () => {}) =>
  (order: Order) => {
    try {
      return run(order);
    } catch (cause) {
      const error = toStoreError(cause);
      failed(error);
      throw error;
    }
  };

/** Kysely would serve one borrower at a time. Our connections do their own locking, and reads never wait. */
class ConcurrentSqliteAdapter extends SqliteAdapter implements DialectAdapter {
  readonly dialect = SQLITE;
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

const LOCKS: readonly string[] = ['ForUpdate', 'ForNoKeyUpdate', 'ForShare', 'ForKeyShare', 'SkipLocked', 'NoWait'];

/** A transaction that writes has the whole database, so locks of rows are left out. */
class LocklessQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || !LOCKS.includes(node.modifier)) super.visitSelectModifier(node);
  }
}

function sqliteDriver({ writer, writing, reader, committed, requireWritable, failed }: Connections): Driver {
  const read = throwingStoreErrors(statementRunner(reader), failed);
  const ours = (connection: DatabaseConnection) => connection as SqliteConnection;
  return {
    async init() {},
    async destroy() {},
    acquireConnection: async () => new SqliteConnection({ writer, writing, read, committed, requireWritable }),
    async releaseConnection() {},
    beginTransaction: (connection) => ours(connection).begin(),
    commitTransaction: (connection) => ours(connection).commit(),
    rollbackTransaction: (connection) => ours(connection).rollback(),
  };
}

interface Means {
  readonly writer: SqliteWriter;
  readonly writing: Mutex;
  readonly read: (order: Order) => StatementResult;
  readonly committed: (pagesLeft: number) => void;
  readonly requireWritable: () => void;
}

/** One borrower's view of the two connections: it owns the writer from `begin` to `commit` or `rollback`. */
class SqliteConnection implements DatabaseConnection {
  readonly #means: Means;
  /** `begin` is sent with the first statement, which saves a round trip to the writer. */
  #transaction: 'none' | 'empty' | 'begun' = 'none';

  constructor(means: Means) {
    this.#means = means;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { read } = this.#means;
    const order = orderOf(query);
    if (this.#transaction !== 'none') return resultOf(await this.#runInside(order));
    return resultOf(query.query.kind === 'SelectQueryNode' ? read(order) : await this.#runAlone(order));
  }

  async #runInside(order: Order): Promise<StatementResult> {
    const isFirst = this.#transaction === 'empty';
    this.#transaction = 'begun';
    const { outcome } = await this.#means.writer.ask({ do: isFirst ? 'first' : 'next', what: order });
    return outcome!;
  }

  async #runAlone(order: Order): Promise<StatementResult> {
    const { writer, writing, committed, requireWritable } = this.#means;
    if (!('sql' in order && /^\s*SELECT\b/i.test(order.sql))) requireWritable();
    await writing.lock();
    try {
      const { outcome, pagesLeft } = await writer.ask({ do: 'alone', what: order });
      committed(pagesLeft!);
      return outcome!;
    } finally {
      writing.unlock();
    }
  }

  async begin(): Promise<void> {
    this.#means.requireWritable();
    await this.#means.writing.lock();
    this.#transaction = 'empty';
  }

  async commit(): Promise<void> {
    const { writer, committed } = this.#means;
    if (this.#transaction === 'begun') {
      const { pagesLeft } = await writer.ask({ do: 'commit' });
      committed(pagesLeft!);
    }
    this.#end();
  }

  async rollback(): Promise<void> {
    try {
      if (this.#transaction === 'begun') await this.#means.writer.ask({ do: 'rollback' });
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#transaction = 'none';
    this.#means.writing.unlock();
  }

  streamQuery = noStream;
}

// biome-ignore lint/correctness/useYield: Kysely asks for a generator; a long read is a search, not a stream.
async function* noStream<R>(): AsyncIterableIterator<QueryResult<R>> {
  throw new Error('Streams are not offered: use search() for long reads.');
}

const orderOf = (query: CompiledQuery): Order =>
  isEachRow(query) ? { each: query.each } : { sql: query.sql, cells: query.parameters as readonly Cell[] };

function resultOf<R>(outcome: StatementResult): QueryResult<R> {
  const { changes, insertId } = outcome;
  return {
    rows: rowsOf(outcome) as R[],
    ...(changes !== undefined && { numAffectedRows: BigInt(changes) }),
    ...(insertId !== undefined && { insertId: BigInt(insertId) }),
  };
}
