import { didYouMean } from '@trackway/contract/nearest.ts';
import type { Operation } from '@trackway/contract/operation.ts';
import { QUERY_HEADER } from '@trackway/contract/page.ts';
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
  if (!text.includes('%') && !text.includes('+')) return text;
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

const MAX_BYTES = 16 * 1024;

/**
 * The query of a request merged with its header: paged lists also accept these values in a header, which takes
 * precedence.
 */
export function withHeader({ paging }: Operation, pairs: QueryPairs, { headers }: FastifyRequest): QueryPairs {
  const header = headers[QUERY_HEADER];
  if (paging === undefined || header === undefined || header === '') return pairs;
  if (typeof header !== 'string' || header.length > MAX_BYTES)
    throw badRequest(`X-Query may have at most ${MAX_BYTES} bytes`);
  const given = objectIn(header);
  return [
    ...pairs.filter(([name]) => !Object.hasOwn(given, name.replace(/\[\d*\]$/, ''))),
    ...Object.entries(given).flatMap(([name, value]) => headerPairs(name, value)),
  ];
}

function objectIn(header: string): Record<string, unknown> {
  const value = parsed(Buffer.from(header, 'latin1').toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('X-Query must be a JSON object');
  return value as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function headerPairs(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.length === 0 ? [] : [[name, JSON.stringify(value)]];
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return [[name, String(value)]];
  throw badRequest(`X-Query: ${name.slice(0, 60)} must be a text, a number, true or false, or a list`);
}
