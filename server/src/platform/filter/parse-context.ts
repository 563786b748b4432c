import type { FilterFields } from './fields.ts';
import type { Near } from './term.ts';

/** The context and counters while one `where` is parsed. */
export interface ParseContext {
  readonly fields: FilterFields;
  /** Read from brackets: every value arrived as text. */
  readonly loose: boolean;
  terms: number;
  values: number;
  near: Near | undefined;
}
