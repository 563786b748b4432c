import type { FastifyReply, FastifyRequest } from 'fastify';
import type { QueryPairs } from '../../calls.ts';
import type { Listed } from '../../platform/collection.ts';

/** Adds headers: where the next part of a list begins, the length of the list, and where a time range was cut off. */
export function noteLeftOut(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  query: QueryPairs,
  { isCounted, found }: Listed,
): void {
  if (found === undefined) return;
  if (isCounted && found.total !== undefined) reply.header('x-total-count', found.total);
  if (found.rangeFrom !== undefined) reply.header('x-range-from', new Date(found.rangeFrom).toISOString());
  if (!found.hasMore) return;
  const link = linkHeader({ next: `${raw.url!.split('?', 1)[0]}?${movedOn(query, found)}` });
  if (link !== undefined) reply.header('link', link);
}

/**
 * The same query, starting after the returned items: after the last one if possible, because rows may be added and
 * removed before it.
 */
function movedOn(query: QueryPairs, { next, after }: NonNullable<Listed['found']>): URLSearchParams {
  const remaining = query.filter(([name]) => name !== 'access_token' && !/^filter\[(skip|offset|after)\]/.test(name));
  const isBracketed = remaining.some(([name]) => name.startsWith('filter['));
  const moved = new URLSearchParams();
  for (const [name, value] of remaining) if (name !== 'filter') moved.append(name, value);
  if (!isBracketed) {
    const text = query.find(([name]) => name === 'filter')?.[1] || '{}';
    const { offset: _, skip: __, after: ___, ...filter } = JSON.parse(text) ?? {};
    moved.append('filter', JSON.stringify({ ...filter, ...(after ? { after } : { skip: next }) }));
  } else if (after)
    for (const [name, value] of Object.entries(after)) moved.append(`filter[after][${name}]`, String(value));
  else moved.append('filter[skip]', String(next));
  return moved;
}

/** Clients reject responses with very long headers, and the query of a request may be long. */
const MOST_BYTES = 8192;

/**
 * The value of a `Link` header: as many links as fit, in this order. Undefined if there are none.
 *
 * @param addresses by link relation
 */
export function linkHeader(addresses: Readonly<Record<string, string>>): string | undefined {
  const links: string[] = [];
  let bytes = 0;
  for (const [relation, address] of Object.entries(addresses)) {
    const link = `<${address}>; rel="${relation}"`;
    bytes += link.length + 2;
    if (bytes > MOST_BYTES) break;
    links.push(link);
  }
  return links.length === 0 ? undefined : links.join(', ');
}

/** Adds headers with the addresses of the other pages of a list, and its length. */
export function linkPages(request: FastifyRequest, reply: FastifyReply, answer: unknown): void {
  const { page, limit, totalElements, total = totalElements } = answer as Record<string, number | undefined>;
  if (page === undefined || limit === undefined || total === undefined) return;
  reply.header('x-total-count', total);
  const url = new URL(request.raw.url!, 'http://localhost');
  // The older parameter counts pages from 0.
  const isOld = url.searchParams.has('page') && !url.searchParams.has('_page');
  const current = isOld ? page + 1 : Math.max(page, 1);
  const last = Math.max(1, Math.ceil(total / limit));
  if (last === 1 && current === 1) return;
  const to = (number: number) => addressOf(url, number, isOld);
  const link = linkHeader({
    ...(current < last && { next: to(current + 1) }),
    ...(current > 1 && { prev: to(Math.min(current - 1, last)) }),
    first: to(1),
    last: to(last),
  });
  if (link !== undefined) reply.header('link', link);
}

function addressOf(url: URL, number: number, isOld: boolean): string {
  const query = new URLSearchParams(url.searchParams);
  query.delete('access_token');
  if (isOld) query.set('page', String(number - 1));
  else query.set('_page', String(number));
  return `${url.pathname}?${query}`;
}
