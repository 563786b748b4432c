import { createRequire } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { RE2JS } from 're2js';
import { recentlyUsed } from '../../caches.ts';
import { collectAll } from '../../threads.ts';

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
  const { readOnly = false, mustExist = false, cacheMb = 4, checkDeadline } = options;
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

/** Throws when the time of the running statement is over. */
type DeadlineCheck = () => void;

/** Registers the SQL functions that every connection needs, so that a query means the same on each of them. */
export function registerFunctions(connection: DatabaseSync, checkDeadline: DeadlineCheck = () => {}): void {
  // It must stay non-deterministic: SQLite calls a deterministic function without arguments once per statement, not
  // once per row. It must also come before the other terms of a WHERE: a term is not evaluated once another is false.
  connection.function('within_deadline', () => {
    checkDeadline();
    return 1;
  });
  const pure = { deterministic: true };
  connection.function('text_lower', pure, textLower);
  connection.function('json_equal', pure, jsonEqual);
  connection.function('re2_match', pure, re2Match);
}

type Value = string | number | bigint | Uint8Array | null;

function textLower(text: Value): string | null {
  return text === null ? null : String(text).toLowerCase();
}

function jsonEqual(a: Value, b: Value): number | null {
  if (a === null || b === null) return null;
  return a === b || sameJson(JSON.parse(String(a)), JSON.parse(String(b))) ? 1 : 0;
}

/** Compares values, not spelling: `{"a":1,"b":2}` equals `{"b":2.0,"a":1}`. */
function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]));
}

function re2Match(pattern: Value, flags: Value, text: Value): number {
  if (pattern === null || text === null) return 0;
  return compiled(`${flags ?? ''}/${pattern}`).test(String(text)) ? 1 : 0;
}

/** The key is the flags, a slash and the pattern: flags are letters, so the first slash ends them. */
const compiled = recentlyUsed(64, (key) => {
  const { RE2JS } = loadRe2();
  const slash = key.indexOf('/');
  const flags = key.slice(0, slash).includes('i') ? RE2JS.CASE_INSENSITIVE : 0;
  return RE2JS.compile(key.slice(slash + 1), flags);
});

/** Loading takes 8 ms, and most connections never need it. SQL functions cannot await an `import()`. */
function loadRe2(): { RE2JS: typeof RE2JS } {
  return createRequire(import.meta.url)('re2js');
}
