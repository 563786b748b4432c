import { parentPort, workerData } from 'node:worker_threads';
import { giveWayToRequests } from '../../threads.ts';
import type { AnyTables } from '../database.ts';
import { postgresTrouble, sqliteTrouble } from '../trouble.ts';
import { loadReadWork, type Workplace } from '../work.ts';
import {
  type Answerer,
  OutOfTime,
  READY,
  type ReadWorkRequest,
  type SearchReply,
  type SearchRequest,
  type Task,
  TooSlow,
} from './messages.ts';

/** The entry point of a search thread: it answers one request after the other. */

const { source, deadlineMs, isPatient } = workerData as Task;
if (isPatient) giveWayToRequests();

let answerer: Promise<Answerer> | undefined;
let workplace: Promise<Workplace<AnyTables>> | undefined;

parentPort!.on('message', async (ask: SearchRequest | ReadWorkRequest) => {
  parentPort!.postMessage(await answerTo(ask));
});
parentPort!.postMessage(READY);

async function answerTo(ask: SearchRequest | ReadWorkRequest): Promise<SearchReply> {
  try {
    return { kind: 'found', found: await ('module' in ask ? work(ask) : search(ask)) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (error instanceof OutOfTime) return { kind: 'tooLong', why };
    if (error instanceof TooSlow) return { kind: 'slow', why };
    const trouble = source.storeKind === 'sqlite' ? sqliteTrouble(error) : postgresTrouble(error);
    return { kind: 'failed', why, ...(trouble && { trouble }) };
  }
}

async function search(ask: SearchRequest): Promise<string> {
  answerer ??= prepareAnswerer();
  return (await answerer)(ask);
}

async function work({ module, input }: ReadWorkRequest): Promise<unknown> {
  workplace ??= openWorkplace();
  return (await loadReadWork(module)).read(await workplace, input);
}

/** Loads only the code of the engine in use. */
async function prepareAnswerer(): Promise<Answerer> {
  if (source.storeKind === 'sqlite')
    return (await import('../sqlite/search.ts')).sqliteAnswerer(source.file, deadlineMs);
  return (await import('../postgres/search.ts')).postgresAnswerer(source, deadlineMs);
}

async function openWorkplace(): Promise<Workplace<AnyTables>> {
  if (source.storeKind === 'sqlite')
    return (await import('../sqlite/read-workplace.ts')).sqliteReadWorkplace(source.file);
  return (await import('../postgres/read-workplace.ts')).postgresReadWorkplace(source, deadlineMs);
}
