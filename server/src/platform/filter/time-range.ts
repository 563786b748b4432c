import { all, always, compared, type Term } from './term.ts';
import { bounds } from './value.ts';

/** The range of a time field that a condition requires of every row: whole milliseconds, both ends inclusive. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the range that the conditions at the top and inside `and` allow; undefined if none of them bounds the field.
 */
export function rangeOf(term: Term, field: string): TimeRange | undefined {
  let from = Number.NEGATIVE_INFINITY;
  let to = Number.POSITIVE_INFINITY;
  const visit = (one: Term): void => {
    if (one.term === 'all') one.of.forEach(visit);
    if (one.term !== 'test' || one.operand.from !== 'column' || one.operand.column !== field) return;
    if (one.test.is !== 'compared') return;
    const at = one.test.with as number;
    const { sign } = one.test;
    if (sign === '>' || sign === '>=' || sign === '=') from = Math.max(from, sign === '>' ? at + 1 : at);
    if (sign === '<' || sign === '<=' || sign === '=') to = Math.min(to, sign === '<' ? at - 1 : at);
  };
  visit(term);
  return from === Number.NEGATIVE_INFINITY && to === Number.POSITIVE_INFINITY ? undefined : { from, to };
}

export function isRangeOnly(term: Term, field: string): boolean {
  if (term.term === 'all') return term.of.every((one) => isRangeOnly(one, field));
  if (term.term !== 'test' || term.operand.from !== 'column' || term.operand.column !== field) return false;
  return term.test.is === 'compared';
}

/** The start of a cut range of the field; undefined if it is not cut. */
export function cutFrom(term: Term, field: string, now: number): number | undefined {
  const range = rangeOf(term, field);
  if (!range) return undefined;
  const earliest = (range.to === Number.POSITIVE_INFINITY ? now : range.to) - bounds.rangeMs;
  return range.from >= earliest ? undefined : earliest;
}

/** Cuts a range of the field to its latest 90 days; a range without an upper end ends now. */
export function cutRange(term: Term, field: string, now: number): Term {
  const earliest = cutFrom(term, field, now);
  if (earliest === undefined) return term;
  return all([withoutLowerBounds(term, field), compared({ from: 'column', column: field }, 'time', '>=', earliest)]);
}

/**
 * Removes the lower bounds that the cut replaces: SQLite starts at the first bound given, even if it is years before
 * the other.
 */
function withoutLowerBounds(term: Term, field: string): Term {
  if (term.term === 'all') return all(term.of.map((one) => withoutLowerBounds(one, field)));
  if (term.term !== 'test' || term.operand.from !== 'column' || term.operand.column !== field) return term;
  return term.test.is === 'compared' && term.test.sign.startsWith('>') ? always : term;
}
