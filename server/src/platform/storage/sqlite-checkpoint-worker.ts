import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './sqlite-connection.ts';

const { file } = workerData as { file: string };
const connection = openConnection(file, { cacheMb: 1 });
const checkpoint = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort!.on('message', () => {
  checkpoint.get();
  parentPort!.postMessage('done');
});
