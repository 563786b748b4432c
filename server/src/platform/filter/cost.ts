import type { OrderTerm } from './order.ts';
import type { Term } from './term.ts';

/** `plain`: comparing columns with values decides each row. `search`: a row may cost much more than that. */
export type Cost = 'plain' | 'search';

export function costOf(term: Term, order: readonly OrderTerm[], near: boolean): Cost {
  if (near || order.some(({ target }) => target.to === 'json')) return 'search';
  return isPlain(term) ? 'plain' : 'search';
}

function isPlain(term: Term): boolean {
  switch (term.term) {
    case 'all':
    case 'any':
      return term.of.every(isPlain);
    case 'not':
      return isPlain(term.of);
    case 'absent':
      return term.target.to !== 'json';
    case 'test':
      return term.operand.from === 'column' && (term.test.is === 'compared' || term.test.is === 'among');
    case 'equalJson':
    case 'within':
      return false;
    default:
      return true;
  }
}
