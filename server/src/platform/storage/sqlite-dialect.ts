import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { NotUnique } from './database.ts';
import { type EachRow, isEachRow } from './each-row.ts';
import type { Mutex } from './mutex.ts';
import { recentlyUsed } from './recently-used.ts';
import type { Cell } from './shape.ts';

export interface Connections {
  readonly writer: DatabaseSync;
  /** Held by whoever has something open on the writer, a transaction or a statement. */
  readonly writing: Mutex;
  /** Sees what is committed and nothing else, so it needs no lock. */
  readonly reader: DatabaseSync;
  /** Told of every commit of ours, as soon as it is one. */
  readonly committed: () => void;
}

/** Kysely on `node:sqlite`. */
export function sqliteDialect(connections: Connections): Dialect {
  return {
    createAdapter: () => new ConcurrentSqliteAdapter(),
    createDriver: () => sqliteDriver(connections),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Kysely would serve one borrower at a time; our connections know themselves who has to wait, and reads never do. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function sqliteDriver({ writer, writing, reader, committed }: Connections): Driver {
  const write = runner(writer);
  const read = runner(reader);
  const ours = (connection: DatabaseConnection) => connection as SqliteConnection;
  return {
    async init() {},
    async destroy() {},
    acquireConnection: async () => new SqliteConnection({ writer, writing, write, read, committed }),
    async releaseConnection() {},
    beginTransaction: (connection) => ours(connection).begin(),
    commitTransaction: (connection) => ours(connection).commit(),
    rollbackTransaction: (connection) => ours(connection).rollback(),
  };
}

type Run = (query: CompiledQuery) => QueryResult<never>;

interface Means {
  readonly writer: DatabaseSync;
  readonly writing: Mutex;
  readonly write: Run;
  readonly read: Run;
  readonly committed: () => void;
}

/** One borrower's view of the two connections: it owns the writer from `begin` to `commit` or `rollback`. */
class SqliteConnection implements DatabaseConnection {
  readonly #means: Means;
  #inTransaction = false;

  constructor(means: Means) {
    this.#means = means;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, writing, write, read, committed } = this.#means;
    if (this.#inTransaction) {
      // SQLite ends a transaction by itself when the disk is full, for one. What follows must not commit alone.
      if (!writer.isTransaction) throw new Error('The transaction was rolled back by an earlier error.');
      return write(query);
    }
    if (query.query.kind === 'SelectQueryNode') return read(query);
    await writing.lock();
    try {
      const result = write(query);
      if (writer.isTransaction) {
        writer.exec('ROLLBACK');
        throw new Error('A transaction must not be begun by a statement of its own: use transaction().');
      }
      committed();
      return result;
    } finally {
      writing.unlock();
    }
  }

  async begin(): Promise<void> {
    const { writer, writing } = this.#means;
    await writing.lock();
    try {
      writer.exec('BEGIN IMMEDIATE');
      this.#inTransaction = true;
    } catch (error) {
      writing.unlock();
      throw error;
    }
  }

  async commit(): Promise<void> {
    const { writer } = this.#means;
    if (!writer.isTransaction) throw new Error('The transaction was rolled back by an earlier error.');
    writer.exec('COMMIT');
    this.#means.committed();
    this.#end();
  }

  async rollback(): Promise<void> {
    const { writer } = this.#means;
    try {
      if (writer.isTransaction) writer.exec('ROLLBACK');
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#inTransaction = false;
    this.#means.writing.unlock();
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator; a long read is a search, not a stream.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streams are not offered: use search() for long reads.');
  }
}

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

function runner(connection: DatabaseSync): Run {
  const prepared = recentlyUsed<Prepared>(256, (sql) => {
    const statement = connection.prepare(sql);
    return { statement, returnsRows: statement.columns().length > 0 };
  });
  return (query) => {
    const { sql, parameters } = query;
    const cells = parameters as readonly Cell[];
    try {
      const { statement, returnsRows } = prepared(sql);
      if (isEachRow(query)) return { rows: runEach(statement, query) as never[] };
      if (returnsRows) return { rows: statement.all(...cells) as never[] };
      const { changes, lastInsertRowid } = statement.run(...cells);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    } catch (error) {
      throw notUnique(error) ?? error;
    }
  };
}

/** Ids are handed out one after the other, since nobody else writes; so the last one tells them all. */
function runEach(statement: StatementSync, { rows }: EachRow): number[] {
  const last = rows.length - 1;
  // `get` makes no object that nobody looks at.
  for (let row = 0; row < last; row++) statement.get(...rows[row]!);
  const lastId = statement.run(...rows[last]!).lastInsertRowid as number;
  return rows.map((_, row) => lastId - last + row);
}

const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

/** `UNIQUE constraint failed: t.a, t.b`, or `… failed: index 'name'` where the index is over an expression. */
function notUnique(error: unknown): NotUnique | undefined {
  const { errcode, message } = error as { errcode?: number; message: string };
  if (errcode !== SQLITE_CONSTRAINT_UNIQUE && errcode !== SQLITE_CONSTRAINT_PRIMARYKEY) return undefined;
  const columns = [...message.matchAll(/[:,] [^.,']+\.([^.,']+)/g)].map((match) => match[1]!);
  return new NotUnique(columns, error);
}
