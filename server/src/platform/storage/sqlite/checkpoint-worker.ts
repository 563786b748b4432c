import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './connection.ts';

const { file } = workerData as { file: string };
const connection = openConnection(file, { cacheMb: 1 });
const checkpoint = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');

/** Replies with the number of pages left. */
parentPort!.on('message', () => {
  const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number };
  parentPort!.postMessage(log - checkpointed);
});
