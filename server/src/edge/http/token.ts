import type { IncomingMessage } from 'node:http';
import type { Operation } from '@trackway/contract/operation.ts';
import type { QueryPairs } from '../../calls.ts';

/**
 * Returns the token of a request: the plain value of a header, or a bearer token. Only reads may have it in the
 * address, because addresses end up in histories, previews and prefetches.
 */
export function tokenOf(
  request: Pick<IncomingMessage, 'headers'>,
  operation: Pick<Operation, 'method' | 'changes'>,
  query: QueryPairs,
): string | undefined {
  const { authorization, 'x-access-token': other } = request.headers;
  const header = authorization ?? (typeof other === 'string' ? other : undefined);
  if (header !== undefined) return bare(header);
  if (operation.method !== 'GET' || operation.changes) return undefined;
  return bare(query.find(([name]) => name === 'access_token')?.[1] ?? '');
}

function bare(header: string): string | undefined {
  const token = /^bearer\s/i.test(header) ? header.slice(7).trim() : header.trim();
  return token === '' || token.length > 512 ? undefined : token;
}
