import { parentPort, workerData } from 'node:worker_threads';
import { shrinkHeapOnceIdle } from '../../threads.ts';
import { type CheckpointTask, checkpointer } from './care/mark.ts';
import { openConnection } from './connection.ts';

const { file, isMarked } = workerData as { file: string; isMarked: boolean };
const checkpoint = checkpointer(openConnection(file, { cacheMb: 1, mustExist: true }), file, isMarked);

/** Replies with the number of pages left, or with undefined where it failed. */
parentPort!.on('message', (task: CheckpointTask) => parentPort!.postMessage(checkpoint(task)));
shrinkHeapOnceIdle();
