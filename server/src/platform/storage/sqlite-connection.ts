import { DatabaseSync } from 'node:sqlite';
import { type DeadlineCheck, registerFunctions } from './sqlite-functions.ts';

export interface ConnectionOptions {
  readonly readOnly?: boolean;
  readonly cacheMb?: number;
  /** What `within_deadline()` asks; without one it always agrees. */
  readonly checkDeadline?: DeadlineCheck;
}

/** Every connection to the database file, on whatever thread, is made here and so behaves the same. */
export function openConnection(file: string, options: ConnectionOptions = {}): DatabaseSync {
  const { readOnly = false, cacheMb = 16, checkDeadline } = options;
  // The timeout is how long a statement waits, and blocks its thread, while another process writes.
  const connection = new DatabaseSync(file, { readOnly, timeout: 5000, enableForeignKeyConstraints: true });
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

function useWriteAheadLog(connection: DatabaseSync, file: string): void {
  const mode = connection.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
  if (mode !== 'wal') throw new Error(`The file system of ${file} can't keep a write-ahead log; use a local disk.`);
  // FULL: what was committed survives a power cut. After a checkpoint the log is cut back to 64 MB.
  connection.exec(`PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${64 * 1024 * 1024};`);
}
