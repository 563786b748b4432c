import type { FastifyReply, FastifyRequest } from 'fastify';
import type { QueryPairs } from '../../../calls.ts';
import type { Listed } from '../../../platform/collection.ts';
import { linkHeader } from './link-header.ts';

/** Tells where the rest of a list begins, how long it is, and where a range of time was cut. */
export function tellLeftOut(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  query: QueryPairs,
  { isCounted, found }: Listed,
): void {
  if (found === undefined) return;
  if (isCounted && found.total !== undefined) reply.header('x-total-count', found.total);
  if (found.rangeFrom !== undefined) reply.header('x-range-from', new Date(found.rangeFrom).toISOString());
  if (!found.hasMore) return;
  const link = linkHeader({ next: `${raw.url!.split('?', 1)[0]}?${movedOn(query, found.next)}` });
  if (link !== undefined) reply.header('link', link);
}

/** The same query, beginning after what was given. */
function movedOn(query: QueryPairs, skip: number): URLSearchParams {
  const rest = query.filter(([name]) => name !== 'access_token' && !/^filter\[(skip|offset)\]$/.test(name));
  const isBracketed = rest.some(([name]) => name.startsWith('filter['));
  const moved = new URLSearchParams();
  for (const [name, value] of rest) if (name !== 'filter') moved.append(name, value);
  if (isBracketed) moved.append('filter[skip]', String(skip));
  else {
    const { offset: _, ...filter } = JSON.parse(query.find(([name]) => name === 'filter')?.[1] || '{}') ?? {};
    moved.append('filter', JSON.stringify({ ...filter, skip }));
  }
  return moved;
}
