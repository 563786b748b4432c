import type { FastifyReply, FastifyRequest } from 'fastify';
import { linkHeader } from './link-header.ts';

/** Tells where the other pages of a list are, and how long the list is. */
export function linkPages(request: FastifyRequest, reply: FastifyReply, answer: unknown): void {
  const { page, limit, totalElements, total = totalElements } = answer as Record<string, number | undefined>;
  if (page === undefined || limit === undefined || total === undefined) return;
  reply.header('x-total-count', total);
  const url = new URL(request.raw.url!, 'http://localhost');
  // Pages by their old name begin at 0.
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
