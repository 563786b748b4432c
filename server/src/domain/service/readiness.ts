import type { Problem } from '../../platform/storage/condition.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import type { Store } from '../schema/tables.ts';

export interface Readiness {
  readonly isReady: boolean;
  /** What keeps it from being ready, a sentence each. */
  readonly reasons: readonly string[];
}

/** A commit that is younger proves that the store can be written. */
const FRESH_MS = 5000;
const PATIENCE_MS = 8000;
const NAME = 'last readiness check';

/**
 * Whether the service can do its work, which is to store what it acknowledges. Where nothing was committed lately it
 * stores something, at most once in five seconds, however often it is asked.
 */
export function readiness(store: Store, freshMs = FRESH_MS): () => Promise<Readiness> {
  const { condition } = store;
  let asked: { at: number; failure: Promise<string | undefined> } | undefined;

  async function write(): Promise<string | undefined> {
    try {
      await inTime(store.ping().then(note));
      return undefined;
    } catch (error) {
      return error instanceof StoreTrouble ? SENTENCES[error.kind] : 'The store does not answer.';
    }
  }
  const note = () => {
    const value = new Date().toISOString();
    return store.query
      .insertInto('settings')
      .values({ name: NAME, value })
      .onConflict((on) => on.column('name').doUpdateSet({ value }))
      .execute();
  };

  return async () => {
    const now = performance.now();
    const serious = condition.problems.filter(({ isWarning }) => !isWarning);
    if (serious.length > 0) return { isReady: false, reasons: serious.map(publicly) };
    const isFresh = condition.committedAt !== undefined && now - condition.committedAt < freshMs;
    if (!isFresh && (asked === undefined || now - asked.at >= freshMs)) asked = { at: now, failure: write() };
    const failure = isFresh ? undefined : await asked!.failure;
    return { isReady: failure === undefined, reasons: failure === undefined ? [] : [failure] };
  };
}

/** A disk or a database that hangs must not have the question hang. */
async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The store did not answer in time.')), PATIENCE_MS);
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Anyone may ask, so paths and details are left to the log and to admins. */
const publicly = ({ kind }: Problem) => SENTENCES[kind];
const SENTENCES: Record<Problem['kind'], string> = {
  full: 'The disk is full.',
  damaged: 'The database is damaged.',
  gone: 'The files of the database were removed or replaced.',
  readOnly: 'The database cannot be written.',
  disk: 'The disk has a fault.',
  unavailable: 'The store does not answer.',
  busy: 'The store is busy.',
};
