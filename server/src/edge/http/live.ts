import { BASES } from '@trackway/contract/operations.ts';
import { LIVE_PATH } from '@trackway/contract/resources/live.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LiveStreams, QueryPairs } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { badRequest } from '../../platform/errors.ts';
import { identify, type RequestContext } from './mount.ts';
import { queryPairs } from './query.ts';

/** Maximum number of devices in the address of one stream. */
const MAX_DEVICES = 1000;
const RETRY_MS = 2000;
/** A stream is a read operation: the token may be in the address, because EventSource cannot send headers. */
const READ = { method: 'GET', access: 'user' } as const;

/** Mounts the live stream (server-sent events). */
export function mountLive(server: FastifyInstance, context: RequestContext, live: LiveStreams): void {
  server.get(BASES.v1 + LIVE_PATH, { config: { operation: 'live' } }, async (request, reply) => {
    const query = queryPairs(request.raw.url!);
    const caller = await identify(context, 'live', READ, query, request, reply, timeNow());
    const devices = devicesIn(query);
    await live.admit(caller!, devices);
    const after = lastEventId(request, query);
    openStream(reply, (sink) => live.open(caller!, { devices, after }, sink));
    return reply;
  });
}

/** Detaches the response from Fastify and removes the time limits of ordinary responses. */
function openStream(
  reply: FastifyReply,
  open: (sink: Parameters<LiveStreams['open']>[2]) => ReturnType<LiveStreams['open']>,
): void {
  reply.hijack();
  const { raw } = reply;
  // The connection of HTTP/2 belongs to all of its streams.
  if (reply.request.raw.httpVersionMajor === 1) raw.socket?.setNoDelay(true);
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    // Prevents proxies from buffering the stream.
    'x-accel-buffering': 'no',
  });
  raw.write(`retry: ${RETRY_MS}\n\n`);
  const stream = open({ write: (bytes) => raw.write(bytes), end: () => raw.end() });
  raw.on('drain', () => stream.drained());
  raw.on('error', () => stream.end());
  raw.on('close', () => stream.end());
  if (raw.destroyed) stream.end();
}

function devicesIn(query: QueryPairs): number[] | undefined {
  const named = query.filter(([name]) => name === 'devices');
  if (named.length === 0) return undefined;
  const ids = named.flatMap(([, value]) => value.split(',')).map((text) => text.trim());
  if (!ids.every((text) => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))))
    throw badRequest('devices must be a comma-separated list of device ids');
  if (ids.length > MAX_DEVICES) throw badRequest(`devices must not name more than ${MAX_DEVICES} devices`);
  return [...new Set(ids.map(Number))];
}

/**
 * Clients resume with the `Last-Event-ID` header. Clients that resume from a stored position cannot set it and use the
 * query.
 */
function lastEventId(request: FastifyRequest, query: QueryPairs): string | undefined {
  const header = request.headers['last-event-id'];
  if (typeof header === 'string' && header !== '') return header;
  return query.find(([name]) => name === 'lastEventId')?.[1] || undefined;
}
