import { closeSync, constants, existsSync, fdatasyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { openConnection } from '../connection.ts';
import {
  databaseFile,
  FRAME_HEADER_BYTES,
  type Generation,
  LOG_HEADER_BYTES,
  logFile,
  markFile,
  readGeneration,
  sameGeneration,
} from './log-file.ts';

/**
 * How far the log had come, written next to it after its frames were flushed. A log that has less at the next start has
 * lost what was committed.
 */
export interface Mark extends Generation {
  /** Committed frames of the log. */
  readonly frames: number;
  /** How many of them are in the database too. Once all are, the log may be deleted. */
  readonly checkpointed: number;
  /**
   * The last pages that were changed and are not in the database yet, with a checksum of each: where the database has
   * them after all, another program has copied the log and deleted it.
   */
  readonly pages: readonly (readonly [page: number, checksum: number])[];
}

/** Two copies, written in turn, so that a write that is torn leaves the other. */
const COPY_BYTES = 512;

interface MarkCopy extends Mark {
  readonly count: number;
}

export function readMark(path: string): Mark | undefined {
  return newest(path);
}

function newest(path: string): MarkCopy | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined;
  }
  const copies = [copyIn(bytes.subarray(0, COPY_BYTES)), copyIn(bytes.subarray(COPY_BYTES, 2 * COPY_BYTES))];
  return copies.reduce((a, b) => (a === undefined || (b !== undefined && b.count > a.count) ? b : a));
}

function copyIn(bytes: Buffer): MarkCopy | undefined {
  const [text = '', sum] = bytes.toString('latin1').split('\n');
  if (text === '' || sum !== String(crc32(text))) return undefined;
  return JSON.parse(text) as MarkCopy;
}

/** Keeps the mark of one folder. Writing it takes one flush of a small file. */
export class MarkFile {
  readonly #path: string;
  #count: number;
  #last: Mark | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#last = newest(path);
    this.#count = (this.#last as MarkCopy | undefined)?.count ?? 0;
  }

  write(mark: Mark): void {
    if (this.#last && isSame(this.#last, mark)) return;
    const { number, salt1, salt2, frames, checkpointed, pages } = mark;
    const count = this.#count + 1;
    const text = JSON.stringify({ count, number, salt1, salt2, frames, checkpointed, pages } satisfies MarkCopy);
    const copy = Buffer.alloc(COPY_BYTES, '\n');
    copy.write(`${text}\n${crc32(text)}\n`, 'latin1');
    const file = openSync(this.#path, constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      writeSync(file, copy, 0, COPY_BYTES, (count % 2) * COPY_BYTES);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    this.#count = count;
    this.#last = mark;
  }
}

const isSame = (a: Mark, b: Mark) =>
  a.number === b.number &&
  a.salt1 === b.salt1 &&
  a.salt2 === b.salt2 &&
  a.frames === b.frames &&
  a.checkpointed === b.checkpointed;

/**
 * Writes down how far the log of an open database has come. SQLite reports its count only after the frames are flushed,
 * so a mark never claims more than the disk holds.
 */
export function noteMark(connection: DatabaseSync, log: string, mark: MarkFile): void {
  const before = readGeneration(log);
  if (before === undefined) return;
  const { log: frames, checkpointed } = connection.prepare('PRAGMA wal_checkpoint(NOOP)').get() as {
    log: number;
    checkpointed: number;
  };
  if (frames <= 0) return;
  const { number, salt1, salt2, pageBytes } = before;
  const pages = lastPages(log, pageBytes, frames, checkpointed);
  const after = readGeneration(log);
  // The log was restarted meanwhile: the next mark is sufficient.
  if (after === undefined || !sameGeneration(before, after)) return;
  mark.write({ number, salt1, salt2, frames, checkpointed, pages });
}

const MOST_PAGES = 8;
const FRAMES_READ = 64;

/** The newest frame of each of the last pages that are only in the log. */
function lastPages(log: string, pageBytes: number, frames: number, checkpointed: number): [number, number][] {
  const pages = new Map<number, number>();
  const file = openSync(log, 'r');
  try {
    const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes);
    const last = Math.max(checkpointed, frames - FRAMES_READ);
    for (let number = frames; number > last && pages.size < MOST_PAGES; number--) {
      readSync(file, frame, 0, frame.length, LOG_HEADER_BYTES + (number - 1) * frame.length);
      const page = frame.readUInt32BE(0);
      if (!pages.has(page)) pages.set(page, crc32(frame.subarray(FRAME_HEADER_BYTES)));
    }
  } finally {
    closeSync(file);
  }
  return [...pages];
}

/** Copies the log into the database and writes that down, before SQLite may delete the log. */
export function settleLog(connection: DatabaseSync, folder: string, mode: 'PASSIVE' | 'RESTART' = 'PASSIVE'): void {
  connection.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
  noteMark(connection, logFile(folder), new MarkFile(markFile(folder)));
}

/** Called before a marked database is closed: the last process that closes it deletes the log. */
export function settleBeforeClose(folder: string): void {
  if (!existsSync(markFile(folder))) return;
  let connection: DatabaseSync | undefined;
  try {
    connection = openConnection(databaseFile(folder), { cacheMb: 1, mustExist: true });
    settleLog(connection, folder);
  } catch {
    // The disk is full or the database is damaged: the log and the mark then stay.
  } finally {
    connection?.close();
  }
}

export type CheckpointTask = 'checkpoint' | 'mark';

/**
 * Copies committed pages of the log into the database, or only looks, and writes down how far the log has come.
 *
 * @returns the number of pages left, or undefined where it failed: the disk is full, or the folder is gone. Both are
 * noticed elsewhere, and it is tried again.
 */
export function checkpointer(connection: DatabaseSync, file: string, isMarked: boolean) {
  const folder = dirname(file);
  let mark: MarkFile | undefined;
  return (task: CheckpointTask): number | undefined => {
    try {
      const { log, checkpointed } = connection
        .prepare(`PRAGMA wal_checkpoint(${task === 'checkpoint' ? 'PASSIVE' : 'NOOP'})`)
        .get() as { log: number; checkpointed: number };
      if (isMarked) {
        // It is read only now: another thread may have kept the marks until then.
        mark ??= new MarkFile(markFile(folder));
        noteMark(connection, logFile(folder), mark);
      }
      return log - checkpointed;
    } catch {
      return undefined;
    }
  };
}
