import type { FastifyRequest } from 'fastify';

/** The origin of the calling page, or else of this server as the caller addressed it. */
export const originOf = ({ headers, protocol }: FastifyRequest): string =>
  headers.origin ?? `${protocol}://${headers.host ?? ''}`;
