import { SearchesFull, SearchSlow, SearchTooLong } from '../database.ts';
import { StoreTrouble } from '../trouble.ts';
import type { ReadWorkRequest, SearchReply, SearchRequest, Task } from './messages.ts';
import { FairQueue } from './queue.ts';
import { SearchThread } from './thread.ts';

interface SearchPool {
  /** @param owner whose turn it uses up */
  ask(owner: string, ask: SearchRequest | ReadWorkRequest): Promise<unknown>;
  /** How many wait for a thread. */
  waiting(): number;
  close(): Promise<void>;
}

interface PoolOptions {
  readonly threads: number;
  readonly capacity: number;
  readonly capacityPerOwner: number;
  /** How many of an owner's run at once. */
  readonly atOncePerOwner: number;
}

interface Pending {
  readonly owner: string;
  readonly ask: SearchRequest | ReadWorkRequest;
  /** Rejects the search if it is still queued after its time limit. */
  patience?: NodeJS.Timeout;
  resolve(found: unknown): void;
  reject(error: Error): void;
}

/** An owner's searches run one after the other, so that one owner cannot occupy every thread. */
const SEARCHES: PoolOptions = { threads: 2, capacity: 64, capacityPerOwner: 8, atOncePerOwner: 1 };
/** One more thread than an owner may take. */
const READ_WORK: PoolOptions = { threads: 3, capacity: 128, capacityPerOwner: 16, atOncePerOwner: 2 };
/** How long a piece of work may run, and be queued before that. */
const READ_WORK_MS = 20_000;

export const createSearchPool = (source: Task['source'], deadlineMs: number) =>
  createPool({ source, deadlineMs }, SEARCHES);

export const createReadWorkPool = (source: Task['source']) =>
  createPool({ source, deadlineMs: READ_WORK_MS, isPatient: true }, READ_WORK);

/**
 * Runs searches on worker threads, which are started on demand. A search may be queued for as long as it may run; its
 * own deadline begins when a thread takes it.
 */
function createPool(
  task: Task,
  { threads: most, capacity, capacityPerOwner, atOncePerOwner }: PoolOptions,
): SearchPool {
  const queue = new FairQueue<Pending>(capacity, capacityPerOwner, atOncePerOwner);
  const threads = new Set<SearchThread>();
  const idle: SearchThread[] = [];
  const running = new Set<Pending>();
  let closed = false;

  function ask(owner: string, ask: SearchRequest | ReadWorkRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (closed) throw new Error('The database is closed.');
      const pending: Pending = { owner, ask, resolve, reject };
      if (!queue.add(pending)) throw new SearchesFull('Too many searches are waiting.');
      serve();
      if (!running.has(pending)) pending.patience = setTimeout(giveUp, task.deadlineMs, pending);
    });
  }

  function giveUp(pending: Pending): void {
    queue.remove(pending);
    pending.reject(new SearchesFull('The search waited too long for its turn.'));
  }

  /** Assigns queued searches to free threads until one of them runs out. */
  function serve(): void {
    dropDead();
    while (idle.length > 0 || (threads.size < most && !isStarting())) {
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

  /** A thread loads its code before it can lower its priority, so one starts at a time and leaves cores to requests. */
  const isStarting = () => task.isPatient === true && [...threads].some(({ isReady }) => !isReady);

  function startThread(): SearchThread {
    const thread = new SearchThread(task, serve);
    threads.add(thread);
    return thread;
  }

  async function run(thread: SearchThread, pending: Pending): Promise<void> {
    running.add(pending);
    const answer = await thread.ask(pending.ask);
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

  return { ask, waiting: () => queue.size, close };
}

function settle(pending: Pending, answer: SearchReply): void {
  if (answer.kind === 'found') pending.resolve(answer.found);
  else if (answer.kind === 'tooLong') pending.reject(new SearchTooLong(answer.why));
  else if (answer.kind === 'slow') pending.reject(new SearchSlow(answer.why));
  else {
    const error = new Error(`A search failed: ${answer.why}`);
    pending.reject(answer.trouble ? new StoreTrouble(answer.trouble, error) : error);
  }
}
