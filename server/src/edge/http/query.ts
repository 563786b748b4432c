import type { QueryPairs } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';

const MAX_PAIRS = 2000;
const NONE: QueryPairs = [];

/** The pairs after the question mark, decoded, in order. */
export function queryPairs(url: string): QueryPairs {
  const mark = url.indexOf('?');
  if (mark === -1 || mark === url.length - 1) return NONE;
  return pairsOf(url.slice(mark + 1), 'The query string');
}

/** Pairs as in a query string or a form. */
export function pairsOf(text: string, what: string): QueryPairs {
  const parts = text.split('&');
  if (parts.length > MAX_PAIRS) throw badRequest(`${what} has more than ${MAX_PAIRS} parameters`);
  const pairs: [string, string][] = [];
  for (const part of parts) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals === -1 ? part : part.slice(0, equals);
    pairs.push([decoded(name, what), equals === -1 ? '' : decoded(part.slice(equals + 1), what)]);
  }
  return pairs;
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw badRequest(`${what} is not valid percent-encoding`);
  }
}
