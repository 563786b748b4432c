import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { LiveStreams } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { takeBodies } from './body.ts';
import { type ConsoleOptions, mountConsole } from './console.ts';
import { answerPreflight, openToOrigins } from './cors.ts';
import { errorBody, refusalOf } from './errors.ts';
import { type IngestRouteOptions, mountIngest } from './ingest.ts';
import { mountLive } from './live.ts';
import { Meter } from './meter.ts';
import { mountOperations, type RequestContext, setRateLimitHeaders, versionOf } from './mount.ts';
import { mountOperators, type Operators } from './operators.ts';
import { mountPages } from './pages.ts';
import { mountReference } from './reference.ts';
import { mountSecurityTxt } from './security-txt.ts';
import { keyOfCaller, trustOf } from './trust-proxy.ts';

export interface HttpOptions {
  readonly desk: RequestContext;
  readonly live: LiveStreams;
  readonly operators: Operators;
  readonly ingest: IngestRouteOptions;
  readonly console: ConsoleOptions;
  readonly log: Log;
  readonly bodyLimit: number;
  /** The proxies in front of the server; empty for none. */
  readonly trustProxy: string;
  readonly securityContact: string;
}

const SECONDS = 1000;

/**
 * Creates the HTTP server with explicit limits: a slow or silent client costs one socket for a bounded time and nothing
 * else.
 */
export function createHttpServer(options: HttpOptions): FastifyInstance {
  const { desk, log } = options;
  const meter = new Meter();
  const trust = trustOf(options.trustProxy);
  const server = fastify({
    logger: false,
    bodyLimit: options.bodyLimit,
    ...(trust && { trustProxy: trust }),
    exposeHeadRoutes: false,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    connectionTimeout: 125 * SECONDS,
    keepAliveTimeout: 65 * SECONDS,
    requestTimeout: 30 * SECONDS,
    http: {
      headersTimeout: 15 * SECONDS,
      connectionsCheckingInterval: 5 * SECONDS,
      // A filter with a list of 1 000 keys must fit into the address.
      maxHeaderSize: 64 * 1024,
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      // Fastify must not reject a long id: our own check answers that the id is unknown.
      maxParamLength: 64 * 1024,
      // Handlers that need the query parse it themselves, because they need the order and repeated names.
      querystringParser: () => ({}),
    },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as FastifyReply),
    clientErrorHandler: answerBrokenRequest,
  });

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = refusalOf(error);
    if (refusal.statusCode >= 500) {
      log.error(
        { error: refusal.cause ?? error, method: request.method, route: request.routeOptions?.url },
        'A request failed',
      );
    }
    // Requests refused before authentication count against the address.
    if (!reply.hasHeader('x-ratelimit-limit'))
      setRateLimitHeaders(reply, desk.limit.count(keyOfCaller(request), Date.now()));
    const { operation = 'other' } = (request.routeOptions?.config ?? {}) as { operation?: string };
    meter.note(operation, refusal.statusCode, reply.elapsedTime / 1000);
    if (refusal.headers) reply.headers(refusal.headers);
    reply.code(refusal.statusCode).header('content-type', 'application/json; charset=utf-8');
    return reply.send(JSON.stringify(errorBody(versionOf(request.raw.url ?? ''), refusal)));
  }

  takeBodies(server);
  openToOrigins(server);
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  const webConsole = mountConsole(server, options.console);
  server.setNotFoundHandler((request, reply) => {
    const page = webConsole.serveUnknown(request, reply);
    if (page) return page;
    const { method } = request;
    const path = (request.raw.url ?? '').split('?', 1)[0]!;
    setRateLimitHeaders(reply, desk.limit.count(keyOfCaller(request), Date.now()));
    if (method === 'OPTIONS') return answerPreflight(reply);
    return sendError(new Refusal(404, `There is no method to handle ${method} ${path.slice(0, 200)}`), request, reply);
  });

  mountOperations(server, desk, meter);
  mountLive(server, desk, options.live);
  mountReference(server);
  mountPages(server);
  mountSecurityTxt(server, options.securityContact);
  mountIngest(server, options.ingest, meter);
  mountOperators(server, options.operators, meter);
  return server;
}

/** Answers input that is not valid HTTP with a JSON error, then closes the socket. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, reason] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout']
        : [400, 'Bad Request'];
  const body = JSON.stringify({ error: { statusCode: status, name: 'Error', message: reason } });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
