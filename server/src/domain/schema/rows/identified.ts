import type { Generated } from 'kysely';

/** Rows are the same on both engines: times are epoch milliseconds, flags 0 or 1, JSON is text. */
export interface Identified {
  id: Generated<number>;
}
