import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

export class FolderInUse extends Error {}

/**
 * Keeps every other process out of a folder until released. The lock is an operating system lock on a separate file
 * that SQLite holds, so it ends with the process in every case. The file is never removed, because removing it would
 * let two processes lock two files of the same name. Nothing else may open the file: on POSIX, closing it drops the
 * lock.
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const holder = new DatabaseSync(join(folder, 'trackway.lock'), { timeout: 0 });
  try {
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    holder.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new FolderInUse(`Another process is using the folder ${folder}. Stop it first, or choose another folder.`, {
      cause: error,
    });
  }
  return () => {
    if (holder.isOpen) holder.close();
  };
}
