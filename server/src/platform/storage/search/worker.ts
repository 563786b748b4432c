import { parentPort, workerData } from 'node:worker_threads';
import { postgresTrouble, sqliteTrouble } from '../trouble.ts';
import { type Answerer, OutOfTime, type SearchReply, type SearchRequest, type Task } from './messages.ts';

/** The entry point of a search thread: it answers one request after the other. */

const { source, deadlineMs } = workerData as Task;
let answerer: Promise<Answerer> | undefined;

parentPort!.on('message', async (ask: SearchRequest) => {
  parentPort!.postMessage(await answerTo(ask));
});

async function answerTo(ask: SearchRequest): Promise<SearchReply> {
  try {
    answerer ??= prepareAnswerer();
    return { kind: 'found', json: await (await answerer)(ask) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (error instanceof OutOfTime) return { kind: 'tooLong', why };
    const trouble = source.storeKind === 'sqlite' ? sqliteTrouble(error) : postgresTrouble(error);
    return { kind: 'failed', why, ...(trouble && { trouble }) };
  }
}

/** Loads only the code of the engine in use. */
async function prepareAnswerer(): Promise<Answerer> {
  if (source.storeKind === 'sqlite')
    return (await import('../sqlite/search.ts')).sqliteAnswerer(source.file, deadlineMs);
  return (await import('../postgres/search.ts')).postgresAnswerer(source.url, deadlineMs);
}
