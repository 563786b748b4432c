import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { collectAll } from '../../shrink-heap.ts';
import { type DeadlineCheck, registerFunctions } from './functions.ts';

const SQLITE_BUSY = 5;

/** How long a statement blocks its thread while another process writes. */
const BUSY_TIMEOUT_MS = 5000;

interface ConnectionOptions {
  readonly readOnly?: boolean;
  /** Fails where there is no such file. Without it a database that was taken away would be replaced by an empty one. */
  readonly mustExist?: boolean;
  readonly cacheMb?: number;
  /** Called by `within_deadline()`, which is always true without one. */
  readonly checkDeadline?: DeadlineCheck;
}

/** Opens every connection to the database file, on any thread, so that all of them behave the same. */
export function openConnection(file: string, options: ConnectionOptions = {}): DatabaseSync {
  const { readOnly = false, mustExist = false, cacheMb = 16, checkDeadline } = options;
  const connection = new DatabaseSync(mustExist ? existingFile(file) : file, {
    readOnly,
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  });
  try {
    if (!readOnly) useWriteAheadLog(connection, file);
    connection.exec(`PRAGMA cache_size = -${cacheMb * 1024}; PRAGMA mmap_size = ${256 * 1024 * 1024};`);
    registerFunctions(connection, checkDeadline);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function existingFile(file: string): URL {
  const address = pathToFileURL(file);
  address.searchParams.set('mode', 'rw');
  return address;
}

function useWriteAheadLog(connection: DatabaseSync, file: string): void {
  const mode = journalMode(connection) === 'wal' ? 'wal' : switchToWal(connection);
  if (mode !== 'wal') throw new Error(`The file system of ${file} can't keep a write-ahead log; use a local disk.`);
  // FULL: a commit survives a power cut. After a checkpoint the log is truncated to 64 MB.
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec(`PRAGMA journal_size_limit = ${64 * 1024 * 1024}`);
}

function journalMode(connection: DatabaseSync): unknown {
  return connection.prepare('PRAGMA journal_mode').get()!.journal_mode;
}

/**
 * Runs once in the life of a database. SQLite applies no busy timeout to it, so this retries while several processes
 * start at once.
 */
function switchToWal(connection: DatabaseSync): unknown {
  const endsAt = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return connection.prepare('PRAGMA journal_mode = WAL').get()!.journal_mode;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY || performance.now() > endsAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Soon, but not once for each of several that read much in a row. */
const WAIT_MS = 1000;

/**
 * Gives back what reading very much took: the garbage of this thread, and the pages of the database that were mapped for
 * it. SQLite lets go of them only outside of a transaction.
 */
export function givingBack(connection: DatabaseSync): () => void {
  let isWaiting = false;
  function soon(): void {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(giveBack, WAIT_MS).unref();
  }
  function giveBack(): void {
    isWaiting = false;
    if (!connection.isOpen) return;
    if (connection.isTransaction) {
      soon();
      return;
    }
    const { mmap_size: bytes } = connection.prepare('PRAGMA mmap_size').get() as { mmap_size: number };
    connection.exec(`PRAGMA mmap_size = 0; PRAGMA mmap_size = ${bytes}`);
    collectAll();
  }
  return soon;
}
