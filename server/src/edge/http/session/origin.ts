import type { FastifyRequest } from 'fastify';

/** The origin of the page that calls, or else of this server as the caller addresses it. */
export const originOf = ({ headers, protocol }: FastifyRequest): string =>
  headers.origin ?? `${protocol}://${headers.host ?? ''}`;
