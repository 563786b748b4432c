import type { FastifyReply, FastifyRequest } from 'fastify';

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
  const linked = Object.entries({
    first: 1,
    ...(current > 1 && { prev: Math.min(current - 1, last) }),
    ...(current < last && { next: current + 1 }),
    last,
  });
  if (last === 1 && current === 1) return;
  reply.header('link', linked.map(([rel, number]) => `<${addressOf(url, number, isOld)}>; rel="${rel}"`).join(', '));
}

function addressOf(url: URL, number: number, isOld: boolean): string {
  const query = new URLSearchParams(url.searchParams);
  query.delete('access_token');
  if (isOld) query.set('page', String(number - 1));
  else query.set('_page', String(number));
  return `${url.pathname}?${query}`;
}
