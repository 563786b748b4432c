import type { Operation } from '@trackway/contract/operation.ts';
import { QUERY_HEADER } from '@trackway/contract/page.ts';
import type { FastifyRequest } from 'fastify';
import type { QueryPairs } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';

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
    ...Object.entries(given).flatMap(([name, value]) => pairsOf(name, value)),
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

function pairsOf(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.length === 0 ? [] : [[name, JSON.stringify(value)]];
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return [[name, String(value)]];
  throw badRequest(`X-Query: ${name.slice(0, 60)} must be a text, a number, true or false, or a list`);
}
