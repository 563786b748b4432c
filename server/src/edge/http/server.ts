import { createServer, type RequestListener, type Server } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { LiveStreams } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { compressAnswers } from './answers/compression.ts';
import { refusalAnswer } from './answers/refusal-answer.ts';
import { type BrokerHookOptions, mountBrokerHooks } from './broker/broker-hooks.ts';
import type { FailureLimit } from './connections/failure-limit.ts';
import { inTurn } from './connections/in-turn.ts';
import { limitConnections } from './connections/per-address.ts';
import { endUnread } from './connections/unread.ts';
import { type ConsoleOptions, mountConsole } from './console.ts';
import { answerPreflight, openToOrigins } from './cors.ts';
import { type IngestRouteOptions, mountIngest } from './ingest.ts';
import { mountLive } from './live.ts';
import { type MapFileOptions, mountMapFiles } from './maps/map-file-route.ts';
import { Meter } from './meter.ts';
import {
  countRequest,
  type MountedOperation,
  mountOperations,
  type RequestContext,
  setRateLimitHeaders,
} from './mount.ts';
import type { NetworkDesk } from './networks/desk.ts';
import { mountNetworks } from './networks/mount-networks.ts';
import { DownlinkPushes } from './networks/push-downlink.ts';
import { mountOperators, type Operators } from './operators.ts';
import { mountPages } from './pages.ts';
import { plainReports } from './plain-reports.ts';
import { mountReference } from './reference.ts';
import { takeBodies } from './requests/body.ts';
import { isOfApi, methodNotAllowed, noteRoutes, pathOf } from './requests/known-paths.ts';
import { requestIdOf } from './requests/request-id.ts';
import { setSecurityHeaders, transportSecurity } from './security/security-headers.ts';
import { mountSecurityTxt } from './security/security-txt.ts';
import { mountOpenid, type OpenidRouteOptions } from './session/openid-routes.ts';
import { mountSession, type SessionRouteOptions } from './session/session-cookie.ts';
import { mountReportStream } from './sockets/report-stream.ts';
import { mountSockets } from './sockets/sockets.ts';
import { isForSocket, routeUpgrades } from './sockets/upgrade.ts';
import { keyOfCaller, type Trust, trustOf } from './trust-proxy.ts';

export interface HttpOptions {
  readonly desk: RequestContext;
  readonly live: LiveStreams;
  readonly session: SessionRouteOptions;
  readonly broker: BrokerHookOptions;
  /** Absent if nobody signs in by OpenID Connect. */
  readonly openid?: OpenidRouteOptions;
  readonly operators: Operators;
  readonly ingest: IngestRouteOptions;
  readonly networks: Pick<NetworkDesk, 'devices' | 'notes' | 'egress'>;
  readonly console: ConsoleOptions;
  readonly mapFiles: MapFileOptions;
  readonly log: Log;
  readonly bodyLimit: number;
  /** The proxies in front of the server; empty for none. */
  readonly trustProxy: string;
  /** Connections of one address at a time; 0 for no limit. */
  readonly connectionLimit: number;
  /** Whether callers reach the server by HTTPS. */
  readonly isSecure: boolean;
  /** Requests for addresses that do not exist, of one caller. */
  readonly unknown: FailureLimit;
  readonly securityContact: string;
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' };
const SECONDS = 1000;
/** A connection whose client reads nothing of a waiting answer ends after this long. */
const UNREAD_S = 15;

/**
 * Creates the HTTP server with explicit limits: a slow or silent client costs one socket for a bounded time and nothing
 * else.
 */
export function createHttpServer(options: HttpOptions): FastifyInstance {
  const { desk, log } = options;
  const meter = new Meter();
  const trust = trustOf(options.trustProxy);
  let ordinary: RequestListener;
  let usual: RequestListener | undefined;
  const server = fastify({
    logger: false,
    genReqId: requestIdOf,
    bodyLimit: options.bodyLimit,
    ...(trust && { trustProxy: trust }),
    exposeHeadRoutes: false,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    serverFactory: (handle) => {
      const listen: RequestListener = (request, response) => (usual ?? handle)(request, response);
      ordinary = handle;
      return connectionsOf(listen, options.connectionLimit, trust);
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      caseSensitive: false,
      // Fastify must not reject a long id: our own check answers that the id is unknown.
      maxParamLength: 64 * 1024,
      // Handlers that need the query parse it themselves, because they need the order and repeated names.
      querystringParser: () => ({}),
    },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as FastifyReply),
    clientErrorHandler: answerBrokenRequest,
  });

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { id, method } = request;
    const url = request.raw.url ?? '';
    const mounted = known.at(pathOf(url))?.route(method)?.route;
    const refused = { id, method, url, route: mounted?.url ?? request.routeOptions?.url };
    const { status, headers, body } = refusalAnswer(error, refused, log);
    // Requests refused before authentication count against the address.
    if (!reply.hasHeader('x-ratelimit-limit'))
      setRateLimitHeaders(reply, desk.limit.count(keyOfCaller(request), timeNow()));
    const { operation = 'other' } = (request.routeOptions?.config ?? {}) as { operation?: string };
    meter.note(mounted?.name ?? operation, status, reply.elapsedTime / 1000);
    return reply.code(status).headers(headers).send(body);
  }

  const known = noteRoutes<MountedOperation>(server);
  const readJson = takeBodies(server);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  openToOrigins(server);
  compressAnswers(server);
  // Decided by the address alone, before anybody is asked for a token.
  server.addHook('onRequest', (request, reply, done) => {
    const url = request.raw.url!;
    if (!isOfApi(url)) return done();
    const allow = known.at(pathOf(url))?.allow;
    // Where operations are mounted it is not found later, as it is where nothing is mounted.
    const route = request.routeOptions.url;
    if (allow === undefined) return route === undefined || route.endsWith('*') ? done() : reply.callNotFound();
    if (allow.split(', ').includes(request.method) && request.method !== 'OPTIONS') return done();
    try {
      countRequest(reply, desk.limit, keyOfCaller(request), timeNow());
    } catch (error) {
      return done(error as Error);
    }
    if (request.method !== 'OPTIONS') return done(methodNotAllowed(request.method, allow));
    answerPreflight(reply, allow);
  });
  setSecurityHeaders(server, { isSecure: options.isSecure });
  // Operations and reports are counted by whom they belong to; pages and files by the address.
  server.addHook('onRequest', (request, reply, done) => {
    const { url, config } = request.routeOptions;
    const isCounted = url === undefined || 'operation' in config || url === '/healthz' || url === '/readyz';
    if (isCounted) return done();
    try {
      countRequest(reply, desk.limit, keyOfCaller(request), timeNow());
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  const webConsole = mountConsole(server, options.console);
  server.setNotFoundHandler((request, reply) => {
    const { method } = request;
    const path = (request.raw.url ?? '').split('?', 1)[0]!;
    countRequest(reply, desk.limit, keyOfCaller(request), timeNow());
    const page = webConsole.serveUnknown(request, reply);
    if (page) return page;
    if (method === 'OPTIONS') return answerPreflight(reply);
    options.unknown.check(keyOfCaller(request), timeNow());
    options.unknown.failed(keyOfCaller(request), timeNow());
    return sendError(new Refusal(404, `There is no method to handle ${method} ${path.slice(0, 200)}`), request, reply);
  });

  mountOperations(server, desk, meter, known);
  mountLive(server, desk, options.live);
  mountMapFiles(server, desk, options.mapFiles);
  routeUpgrades(server);
  mountSockets(server, desk, { live: options.live, log, frameLimit: options.bodyLimit });
  mountBrokerHooks(server, desk, options.broker);
  mountSession(server, desk, options.session, meter);
  if (options.openid) mountOpenid(server, desk, options.openid);
  mountReference(server);
  mountPages(server);
  mountSecurityTxt(server, options.securityContact);
  mountIngest(server, options.ingest, meter);
  let isClosing = false;
  server.addHook('preClose', async () => {
    isClosing = true;
  });
  const headers = { ...JSON_HEADERS, ...transportSecurity(options.isSecure) };
  const plain = { ...options.ingest, meter, log, readJson, requests: desk.limit, headers, isOpen: () => !isClosing };
  usual = plainReports(plain, ordinary!);
  mountReportStream(server, { ...options.ingest, log }, meter);
  const pushes = new DownlinkPushes();
  mountNetworks(server, { ...options.ingest, ...options.networks, gate: desk.gate, pushes }, meter);
  mountOperators(server, options.operators, meter);
  return server;
}

/** The server below Fastify. A client that is slow, silent or reads nothing is let go after a bounded time. */
function connectionsOf(handle: RequestListener, mostPerAddress: number, trust: Trust | undefined): Server {
  const http = {
    keepAliveTimeout: 65 * SECONDS,
    requestTimeout: 30 * SECONDS,
    headersTimeout: 15 * SECONDS,
    connectionsCheckingInterval: 5 * SECONDS,
    // A filter with a list of 1 000 keys must fit into the address.
    maxHeaderSize: 64 * 1024,
    shouldUpgradeCallback: isForSocket,
  };
  const server = createServer(http, inTurn(handle));
  server.setTimeout(125 * SECONDS);
  limitConnections(server, mostPerAddress, trust);
  endUnread(server, UNREAD_S * SECONDS);
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
