import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { openConnection } from '../connection.ts';
import { databaseFile, logFile, markFile } from './log-file.ts';
import { MarkFile, noteMark } from './mark.ts';

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
    // The disk is full or the database is damaged: the log then stays, and so does what the mark says.
  } finally {
    connection?.close();
  }
}
