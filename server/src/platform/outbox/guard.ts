import type { AnyQuery } from '../storage/database.ts';

/** Asked about a row whenever it is about to be sent, however long ago it was posted: whether it may still go. */
export interface SendGuard {
  /** An expression of SQL about a row of the table "outbox". */
  readonly mayGo: string;
  /** Those of some rows that may not go: the same, where rows are spread over servers and no expression can say it. */
  barred(on: AnyQuery, ids: readonly number[]): Promise<ReadonlySet<number>>;
  /** Records that these rows may not go, in the transaction that found it. They are `sending` until then. */
  refuse(tx: AnyQuery, ids: readonly number[], now: number): Promise<void>;
}

/** Where nobody asks. */
export const NO_GUARD: SendGuard = { mayGo: '1 = 1', barred: async () => new Set(), refuse: async () => {} };
