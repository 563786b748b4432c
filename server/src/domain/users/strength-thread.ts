import { Worker } from 'node:worker_threads';
import type { StrengthReply, StrengthRequest } from './strength-messages.ts';

/** After this long without a question the thread ends, and its memory is free again. */
const IDLE_MS = 30_000;
/** Its dictionaries take 35 MB; estimates leave much garbage, which would be collected rarely without a limit. */
const LIMITS = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 128 };
/** Only a machine that does nothing else any more takes this long. */
const PATIENCE_MS = 60_000;

let worker: Worker | undefined;
let idle: NodeJS.Timeout | undefined;
/** Questions are answered one after another. */
let last: Promise<unknown> = Promise.resolve();

/** Starts the thread when it is first needed. */
export function strengthOf(request: StrengthRequest): Promise<StrengthReply> {
  const reply = last.then(() => ask(request));
  last = reply.catch(() => {});
  return reply;
}

function ask(request: StrengthRequest): Promise<StrengthReply> {
  clearTimeout(idle);
  worker ??= new Worker(new URL('./strength-worker.ts', import.meta.url), { resourceLimits: LIMITS });
  const asked = worker;
  return new Promise<StrengthReply>((resolve, reject) => {
    const overdue = setTimeout(
      () => end(new Error('The strength of a password took too long to estimate')),
      PATIENCE_MS,
    );
    const settle = () => {
      clearTimeout(overdue);
      for (const event of ['message', 'error', 'exit']) asked.removeAllListeners(event);
      // It must not keep a process alive.
      asked.unref();
    };
    const end = (error: Error) => {
      settle();
      worker = undefined;
      void asked.terminate();
      reject(error);
    };
    asked.once('error', end);
    asked.once('exit', () => end(new Error('The thread that estimates passwords ended')));
    asked.once('message', (reply: StrengthReply) => {
      settle();
      idle = setTimeout(() => {
        worker = undefined;
        void asked.terminate();
      }, IDLE_MS);
      idle.unref();
      resolve(reply);
    });
    asked.ref();
    asked.postMessage(request);
  });
}
