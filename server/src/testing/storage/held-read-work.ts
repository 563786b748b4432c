import { threadId } from 'node:worker_threads';
import type { AnyTables } from '../../platform/storage/database.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';

export interface Held {
  readonly sql: string;
  /** The number of started jobs, and whether they may end. */
  readonly shared: Int32Array;
}

/** Read work for tests: it begins, waits until it may end, and answers the thread it ran on and what it read. */
export const heldReadWork = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<AnyTables>, { sql, shared }: Held): Promise<{ threadId: number; rows: unknown[] }> => {
    Atomics.add(shared, 0, 1);
    Atomics.wait(shared, 1, 0);
    return { threadId, rows: await workplace.prepare('held', sql).all() };
  },
);
