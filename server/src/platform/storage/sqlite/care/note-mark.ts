import { closeSync, openSync, readSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { FRAME_HEADER_BYTES, LOG_HEADER_BYTES, readGeneration, sameGeneration } from './log-file.ts';
import type { MarkFile } from './mark.ts';

/**
 * Writes down how far the log of an open database has come. SQLite tells its count only after the frames are flushed, so
 * a mark never claims more than the disk holds.
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
  // The log was restarted meanwhile: the next mark tells more.
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
