import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreTrouble } from '../trouble.ts';

const SQLITE_BUSY = 5;

export class FolderInUse extends Error {}

/**
 * Keeps every other process out of a folder until released. The lock is an operating system lock on a separate file
 * that SQLite holds, so it ends with the process in every case. The file is never removed, because removing it would
 * let two processes lock two files of the same name. Nothing else may open the file: on POSIX, closing it drops the
 * lock.
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const holder = new DatabaseSync(join(folder, 'trackway.lock'), { timeout: 0 });
  try {
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    holder.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new FolderInUse(`Another process is using the folder ${folder}. Stop it first, or choose another folder.`, {
      cause: error,
    });
  }
  return () => {
    if (holder.isOpen) holder.close();
  };
}

interface Waiting {
  enter(): void;
  timer: NodeJS.Timeout;
}

/** Maximum number of waiting callers: further ones are refused at once. */
const MAX_WAITING = 5000;

/** Admits one holder at a time, in the order of arrival. Waiting too long throws, so that a deadlock is noticed. */
export class Mutex {
  #held = false;
  readonly #waiting = new Set<Waiting>();
  readonly #patienceMs: number;
  readonly #complaint: string;

  constructor(patienceMs: number, complaint: string) {
    this.#patienceMs = patienceMs;
    this.#complaint = complaint;
  }

  /** Returns undefined if the lock was free: the caller need not wait then. */
  lock(): Promise<void> | undefined {
    if (!this.#held) {
      this.#held = true;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      if (this.#waiting.size >= MAX_WAITING) throw new StoreTrouble('busy', new Error(this.#complaint));
      const waiting: Waiting = {
        enter: resolve,
        timer: setTimeout(() => {
          this.#waiting.delete(waiting);
          reject(new StoreTrouble('busy', new Error(this.#complaint)));
        }, this.#patienceMs),
      };
      this.#waiting.add(waiting);
    });
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  get isWanted(): boolean {
    return this.#waiting.size > 0;
  }

  /** Passes the lock to the caller that has waited longest: it is never free in between, so no one can overtake. */
  unlock(): void {
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting);
      clearTimeout(waiting.timer);
      waiting.enter();
      return;
    }
    this.#held = false;
  }
}
