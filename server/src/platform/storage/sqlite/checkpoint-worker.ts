import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { shrinkHeapOnceIdle } from '../../memory/shrink-heap.ts';
import { logFile, markFile } from './care/files.ts';
import { MarkFile } from './care/mark.ts';
import { noteMark } from './care/note-mark.ts';
import { openConnection } from './connection.ts';

const { file, isMarked } = workerData as { file: string; isMarked: boolean };
const connection = openConnection(file, { cacheMb: 1, mustExist: true });
const checkpoint = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const look = connection.prepare('PRAGMA wal_checkpoint(NOOP)');
const folder = dirname(file);
const mark = new MarkFile(markFile(folder));

/** Replies with the number of pages left, or with undefined where it failed: the disk is full, or the folder is gone. */
parentPort!.on('message', (what: 'checkpoint' | 'mark') => {
  let left: number | undefined;
  try {
    const { log, checkpointed } = (what === 'checkpoint' ? checkpoint : look).get() as {
      log: number;
      checkpointed: number;
    };
    left = log - checkpointed;
    if (isMarked) noteMark(connection, logFile(folder), mark);
  } catch {
    // Both are noticed elsewhere, and it is tried again.
  }
  parentPort!.postMessage(left);
});
shrinkHeapOnceIdle();
