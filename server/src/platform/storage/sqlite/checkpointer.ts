import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { logFile, markFile } from './care/log-file.ts';
import { MarkFile, noteMark } from './care/mark.ts';

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
