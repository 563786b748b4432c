import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { StoreCondition } from '../condition.ts';
import type { Database } from '../database.ts';
import { SQLITE, type SqlText, textFor } from '../dialect.ts';
import type { Migration } from '../migrations.ts';
import { statementNames } from '../run-sql.ts';
import { createReadWorkPool, createSearchPool } from '../search/pool.ts';
import type { Row } from '../shape.ts';
import { StoreTrouble } from '../trouble.ts';
import type { ReadWorkDefinition, Statement, WorkDefinition } from '../work.ts';
import { backupSqlite } from './backup.ts';
import { databaseFile } from './care/log-file.ts';
import { settleBeforeClose, settleLog } from './care/mark.ts';
import { startCheckpoints } from './checkpoints.ts';
import { givingBack, openConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { Mutex } from './locks.ts';
import { migrateSqlite, requireMigrated } from './migrate.ts';
import { statementOn } from './statements.ts';
import { SqliteWriter, writerEnded } from './writer.ts';

interface SqliteOptions {
  /** Folder of the database file; created if missing. */
  readonly folder: string;
  readonly migrations: readonly Migration[];
  readonly searchDeadlineMs?: number;
  /** Opens an existing database without changing or migrating it. */
  readonly readOnly?: boolean;
  /** Writes down how far the log has come, so that a loss is noticed at the next start. */
  readonly isMarked?: boolean;
  /** A part of the log is lost: it must be restarted, because its remainder would report the loss at each start. */
  readonly restartsLog?: boolean;
}

const WRITER_PATIENCE_MS = 15_000;
const WRITER_COMPLAINT =
  'Waited too long to write. A transaction is taking very long, or one writes through the database instead of through its own handle.';

export async function openSqlite<Tables>(options: SqliteOptions): Promise<Database<Tables>> {
  const { migrations, searchDeadlineMs = 2000, readOnly = false, isMarked = false, restartsLog = false } = options;
  const folder = resolve(options.folder);
  const file = databaseFile(folder);
  if (readOnly && !existsSync(file)) throw new Error(`There is no database in ${folder}.`);
  if (!readOnly) mkdirSync(folder, { recursive: true, mode: 0o700 });

  const opened = (first: DatabaseSync) => {
    if (isMarked) settleLog(first, folder, restartsLog ? 'RESTART' : 'PASSIVE');
  };
  const reader = await openMigrated(file, migrations, readOnly, opened);
  if (!readOnly) keepPrivate(folder);
  return seam<Tables>(file, reader, { searchDeadlineMs, readOnly, isMarked });
}

/** Opens a read connection once the database has all migrations. */
async function openMigrated(
  file: string,
  migrations: readonly Migration[],
  readOnly: boolean,
  opened: (first: DatabaseSync) => void,
): Promise<DatabaseSync> {
  const first = openConnection(file, { readOnly });
  try {
    if (readOnly) requireMigrated(first, migrations);
    else await migrateSqlite(first, migrations);
    opened(first);
    // Opened before the first connection closes: closing the last connection to a database would checkpoint its log.
    return openConnection(file, { readOnly: true });
  } finally {
    first.close();
  }
}

function seam<Tables>(
  file: string,
  reader: DatabaseSync,
  {
    searchDeadlineMs,
    readOnly,
    isMarked,
  }: { readonly searchDeadlineMs: number; readonly readOnly: boolean; readonly isMarked: boolean },
): Database<Tables> {
  const condition = new StoreCondition();
  const failed = (error: unknown) => {
    if (error instanceof StoreTrouble) condition.note(error);
  };
  /** Where a reader needs space, it is that of a temporary file, on another disk perhaps. */
  const readFailed = (error: unknown) => {
    if (error instanceof StoreTrouble && error.kind === 'damaged') condition.note(error);
  };
  /** What the threads of readers find out is noted here. */
  const noted = <T>(reading: Promise<T>): Promise<T> =>
    reading.catch((error) => {
      readFailed(error);
      throw error;
    });
  const requireWritable = () => condition.requireWritable();
  const writing = new Mutex(WRITER_PATIENCE_MS, WRITER_COMPLAINT);
  const changes = changeCounter(reader);
  const writer = new SqliteWriter(file, { readOnly, isMarked, failed });
  // A server writes at its start. Commands of the CLI may only read.
  if (isMarked) writer.begin();
  const checkpoints = startCheckpoints(file, {
    writing,
    isMarked,
    atWriter: async (task) => (await writer.ask({ do: task })).pagesLeft,
    autoCheckpoint: (pages) => void writer.ask({ do: 'autoCheckpoint', what: pages }).catch(() => {}),
  });
  const committed = (pagesLeft: number) => {
    condition.committedAt = performance.now();
    changes.committed();
    checkpoints.committed(pagesLeft);
  };
  const query = new Kysely<Tables>({
    dialect: sqliteDialect({ writer, writing, reader, committed, requireWritable, failed: readFailed }),
  });
  const searches = createSearchPool({ storeKind: 'sqlite', file }, searchDeadlineMs);
  const readers = createReadWorkPool({ storeKind: 'sqlite', file });
  const claimName = statementNames();
  const one = reader.prepare('SELECT 1');
  /** Number of work items sent to the thread. While it is not 0, the thread holds the write lock. */
  let atWork = 0;
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await searches.close();
    await readers.close();
    await checkpoints.close();
    try {
      await writing.lock();
      if (!readOnly && !condition.has('gone')) settleBeforeClose(dirname(file));
    } finally {
      reader.close();
      await writer.close();
      writing.unlock();
    }
  }

  return {
    dialect: SQLITE,
    condition,
    query,
    transaction: (work) => query.transaction().execute(work),
    work<Options, Input, Output>({ module }: WorkDefinition<Tables, Options, Input, Output>, options: Options) {
      const work = writer.openWork(module, options);
      return async (input: Input): Promise<Output> => {
        requireWritable();
        // The thread runs work items one by one, so further items may be queued under the same lock while no other
        // caller waits for it.
        if (atWork === 0 || writing.isWanted) await writing.lock();
        atWork++;
        try {
          const { output, pagesLeft } = await work(input);
          committed(pagesLeft!);
          return output as Output;
        } finally {
          if (--atWork === 0) writing.unlock();
        }
      };
    },
    prepare<R = Row>(name: string, given: SqlText): Statement<R> {
      const sql = textFor(SQLITE, given);
      claimName(name, sql);
      return statementOn(reader, sql, readFailed);
    },
    giveBack: givingBack(reader),
    search: ({ owner, ...ask }) => noted(searches.ask(owner, ask)) as Promise<string>,
    readWork:
      <Input, Output>({ module }: ReadWorkDefinition<Tables, Input, Output>) =>
      (input: Input, owner: string) =>
        noted(readers.ask(owner, { module, input })) as Promise<Output>,
    queues: () => ({ writer: writing.waiting, search: searches.waiting() }),
    changes: changes.read,
    backup: (target) => backupSqlite(file, resolve(target)),
    now: () => Date.now(),
    async ping() {
      if (writer.hasEnded) throw writerEnded();
      one.get();
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/**
 * Changes with every commit, sometimes more than once. A commit of this process counts at once; one of another process
 * counts from the next turn of the event loop, because asking the file on every call would cost as much as the cache
 * saves.
 */
function changeCounter(reader: DatabaseSync): { read(): number; committed(): void } {
  const dataVersion = reader.prepare('PRAGMA data_version');
  let counter = 0;
  let seen: unknown;
  let isFresh = false;
  return {
    committed() {
      counter++;
    },
    read() {
      if (isFresh) return counter;
      isFresh = true;
      setImmediate(() => {
        isFresh = false;
      });
      const version = dataVersion.get()!.data_version;
      if (version !== seen) counter++;
      seen = version;
      return counter;
    },
  };
}

/** Files of ours, and what other programs put into any folder. */
const OURS = /^trackway\b|^lost\+found$/;

/**
 * Makes the database, its log and its key readable for their owner only. SQLite gives a new log the mode of the
 * database. The folder is closed too if it holds nothing else: it may be one that others share.
 */
function keepPrivate(folder: string): void {
  // Windows has no modes: a folder of a user is that user's already.
  if (process.platform === 'win32') return;
  const names = readdirSync(folder);
  for (const name of names) if (/^trackway\b/.test(name)) close(join(folder, name), 0o600);
  if (names.every((name) => OURS.test(name))) close(folder, 0o700);
}

function close(path: string, mode: number): void {
  try {
    const stat = statSync(path);
    if (mode === 0o600 && !stat.isFile()) return;
    if ((stat.mode & 0o777 & ~mode) !== 0) chmodSync(path, mode);
  } catch {
    // It went away meanwhile, or belongs to another user who let this one in.
  }
}
