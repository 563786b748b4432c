import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Operation } from '@trackway/contract/operation.ts';
import type { FastifyRequest } from 'fastify';
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

const OWN = /^[A-Za-z0-9._-]{1,128}$/;
const BYTES = 15;
/**
 * Random bytes are generated for many ids at once: generating them costs as much as the other work for the head of a
 * small request.
 */
const pool = Buffer.alloc(BYTES * 256);
let used = pool.length;

/** The id of a request, which links its response and its log lines: the caller's own id, or 20 random characters. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && OWN.test(given)) return given;
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES;
  return pool.toString('base64url', used - BYTES, used);
}

/** The origin of the calling page, or else of this server as the caller addressed it. */
export const originOf = ({ headers, protocol }: FastifyRequest): string =>
  headers.origin ?? `${protocol}://${headers.host ?? ''}`;
