import type { DatabaseSync } from 'node:sqlite';
import { readGeneration, sameGeneration } from './log-file.ts';
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
  const after = readGeneration(log);
  // The log was restarted meanwhile, or is about to be: the next mark tells more.
  if (after === undefined || !sameGeneration(before, after) || frames <= 0) return;
  mark.write({ ...before, frames, checkpointed });
}
