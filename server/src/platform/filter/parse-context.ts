import type { FilterFields } from './fields.ts';
import type { Near } from './term.ts';

/** What is known and counted while one `where` is read. */
export interface ParseContext {
  readonly fields: FilterFields;
  /** Out of brackets: every value arrived as text. */
  readonly loose: boolean;
  terms: number;
  values: number;
  near: Near | undefined;
}
