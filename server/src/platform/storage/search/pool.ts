import { type Search, SearchesFull, SearchTooLong } from '../database.ts';
import { StoreTrouble } from '../trouble.ts';
import type { SearchReply, SearchSource } from './messages.ts';
import { FairQueue } from './queue.ts';
import { SearchThread } from './thread.ts';

const THREADS = 2;
const CAPACITY = 64;
const CAPACITY_PER_OWNER = 8;

export interface SearchPool {
  search(search: Search): Promise<string>;
  /** How many wait for a thread. */
  waiting(): number;
  close(): Promise<void>;
}

interface Pending {
  readonly owner: string;
  readonly search: Search;
  /** Rejects the search if it is still queued after its time limit. */
  patience?: NodeJS.Timeout;
  resolve(json: string): void;
  reject(error: Error): void;
}

/**
 * Runs searches on worker threads, which are started on demand. A search may be queued for as long as it may run; its
 * own deadline begins when a thread takes it.
 */
export function createSearchPool(source: SearchSource, deadlineMs: number): SearchPool {
  const queue = new FairQueue<Pending>(CAPACITY, CAPACITY_PER_OWNER);
  const threads = new Set<SearchThread>();
  const idle: SearchThread[] = [];
  const running = new Set<Pending>();
  let closed = false;

  function search(search: Search): Promise<string> {
    return new Promise((resolve, reject) => {
      if (closed) throw new Error('The database is closed.');
      const pending: Pending = { owner: search.owner, search, resolve, reject };
      if (!queue.add(pending)) throw new SearchesFull('Too many searches are waiting.');
      serve();
      if (!running.has(pending)) pending.patience = setTimeout(giveUp, deadlineMs, pending);
    });
  }

  function giveUp(pending: Pending): void {
    queue.remove(pending);
    pending.reject(new SearchesFull('The search waited too long for its turn.'));
  }

  /** Assigns queued searches to free threads until one of them runs out. */
  function serve(): void {
    dropDead();
    while (idle.length > 0 || threads.size < THREADS) {
      const pending = queue.take();
      if (!pending) return;
      clearTimeout(pending.patience);
      run(idle.pop() ?? startThread(), pending);
    }
  }

  /** A thread may also end while it is idle. */
  function dropDead(): void {
    for (const thread of threads) {
      if (thread.alive) continue;
      threads.delete(thread);
      if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
    }
  }

  function startThread(): SearchThread {
    const thread = new SearchThread({ source, deadlineMs });
    threads.add(thread);
    return thread;
  }

  async function run(thread: SearchThread, pending: Pending): Promise<void> {
    running.add(pending);
    const { sql, cells, shape } = pending.search;
    const answer = await thread.ask({ sql, cells, shape });
    if (!running.delete(pending)) return;
    queue.finished(pending);
    idle.push(thread);
    settle(pending, answer);
    serve();
  }

  async function close(): Promise<void> {
    closed = true;
    const open = [...queue.removeAll(), ...running];
    running.clear();
    for (const pending of open) {
      clearTimeout(pending.patience);
      pending.reject(new Error('The database was closed.'));
    }
    await Promise.all([...threads].map((thread) => thread.end()));
    threads.clear();
  }

  return { search, waiting: () => queue.size, close };
}

function settle(pending: Pending, answer: SearchReply): void {
  if (answer.kind === 'found') pending.resolve(answer.json);
  else if (answer.kind === 'tooLong') pending.reject(new SearchTooLong(answer.why));
  else {
    const error = new Error(`A search failed: ${answer.why}`);
    pending.reject(answer.trouble ? new StoreTrouble(answer.trouble, error) : error);
  }
}
