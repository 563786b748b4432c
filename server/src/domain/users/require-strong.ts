import { Worker } from 'node:worker_threads';
import { invalidField } from '../../refusals.ts';

/** Guessing takes long for long texts; whatever follows makes a password only stronger. */
const JUDGED_LENGTH = 32;
const STRONG = 3;
const ADVICE = 'use several words that have nothing to do with each other, or let a password manager make one';

/** What others know about the user of a password. */
export interface PasswordOwner {
  readonly email?: string | null;
  readonly username?: string | null;
  readonly name?: string | null;
}

/**
 * Refuses a password that is easy to guess. Asked wherever a password is set; existing passwords stay.
 * @param field the field of the body that a refusal names
 */
export async function requireStrongPassword(
  password: string,
  owner: PasswordOwner,
  { context = 'user', field = 'password' } = {},
): Promise<void> {
  const said = [owner.email, owner.username, owner.name].filter((text) => typeof text === 'string');
  const known = [...said, ...said.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))].filter(({ length }) => length > 2);
  const { score, warning } = await strengthOf({
    password: password.slice(0, JUDGED_LENGTH),
    known: [...known, 'trackway'],
  });
  if (score >= STRONG) return;
  const why = warning ? ` (${warning.replace(/\.$/, '')})` : '';
  throw invalidField(context, field, 'weak', `is too easy to guess${why}: ${ADVICE}`);
}

/** What the thread is asked about a password, and what it answers. */

export interface StrengthRequest {
  readonly password: string;
  /** What others know about its user. */
  readonly known: readonly string[];
}

export interface StrengthReply {
  /** From 0 to 4; 3 withstands some 10^8 guesses. */
  readonly score: number;
  /** Why it is weak, in a sentence, where that is known. */
  readonly warning: string | null;
}

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
function strengthOf(request: StrengthRequest): Promise<StrengthReply> {
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
