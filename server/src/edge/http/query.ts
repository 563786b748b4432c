import { didYouMean } from '@trackway/contract/nearest.ts';
import type { Operation } from '@trackway/contract/operation.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { QueryPairs } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { invalid } from '../../refusals.ts';

const MAX_PAIRS = 2000;
const NONE: QueryPairs = [];

/** Decodes the pairs of the query string, in order. */
export function queryPairs(url: string): QueryPairs {
  const mark = url.indexOf('?');
  if (mark === -1 || mark === url.length - 1) return NONE;
  return pairsOf(url.slice(mark + 1), 'The query string');
}

/** Decodes the pairs of a query string or a form. */
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

/** Whether the caller wants unknown names to be rejected instead of ignored. */
export const isStrict = ({ headers }: FastifyRequest) =>
  /\bhandling\s*=\s*"?strict\b/i.test(String(headers.prefer ?? ''));

/** Rejects unknown names for callers that request it. */
export function refuseUnknown(
  { query = {}, narrowing, body }: Operation,
  asked: QueryPairs,
  sent: Readonly<Record<string, unknown>>,
  reply: FastifyReply,
): void {
  const words = [...Object.keys(query), ...(narrowing ? ['filter', narrowing] : []), 'access_token'];
  for (const [name] of asked) {
    const word = name.replace(/\[.*$/s, '');
    if (!words.includes(word))
      throw badRequest(`Unknown query parameter "${name.slice(0, 60)}".${didYouMean(word.slice(0, 60), words)}`);
  }
  if (body !== undefined) {
    const fields = Object.keys(body.noun.fields);
    const unknown = Object.keys(sent).filter((field) => !fields.includes(field));
    if (unknown.length > 0)
      throw invalid(
        body.noun.name,
        unknown.slice(0, 20).map((field) => ({
          field: field.slice(0, 60),
          code: 'unknown',
          message: `is not known.${didYouMean(field.slice(0, 60), fields)}`.replace(/\.$/, ''),
        })),
      );
  }
  reply.header('preference-applied', 'handling=strict');
}
