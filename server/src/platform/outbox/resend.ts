import type { AnyDatabase } from '../storage/database.ts';
import { runSql } from '../storage/run-sql.ts';
import { PATIENCE_MS } from './post.ts';
import { RESEND, RESEND_WINDOW } from './statements.ts';

export interface ResendRange {
  readonly from: number;
  readonly to: number;
  readonly destinationId?: number | null | undefined;
  /** Excluded destinations. */
  readonly except: readonly number[];
  readonly state: string;
}

/** Maximum number of rows per statement. */
const WINDOW = 2000;

/** Sends rows of a user again, a window of ids at a time, so that others can write in between. Returns their number. */
export async function resendRange(db: AnyDatabase, userId: number, range: ResendRange, now: number): Promise<number> {
  const { from, to, state, destinationId, except } = range;
  let count = 0;
  for (let after = 0; ; ) {
    const [window] = await runSql<{ last: number | null; rows: number }>(db.query, RESEND_WINDOW, [
      userId,
      after,
      WINDOW,
    ]);
    if (!window?.last) return count;
    const cells = [now, now + PATIENCE_MS, userId, after, window.last, state, from, to, destinationId ?? 0];
    count += (await runSql(db.query, RESEND, [...cells, destinationId ?? 0, `,${except.join()},`])).length;
    if (window.rows < WINDOW) return count;
    after = window.last;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
