import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { LiveStreams } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { phoneProtocols } from '../protocols/protocols.ts';
import { takeBodies } from './body.ts';
import { type BrokerHookOptions, mountBrokerHooks } from './broker-hooks.ts';
import type { CertificateSource } from './certificate-files.ts';
import { compressAnswers } from './compression.ts';
import { endUnread, inTurn, limitConnections } from './connections.ts';
import { type ConsoleOptions, mountConsole } from './console.ts';
import { addHttp2, answeringChallenges, type ChallengeContext, HTTP_PROTOCOLS } from './http2.ts';
import { ingestListener, reportUrl, rootReport } from './ingest/listener.ts';
import { phoneEndpoint } from './ingest/phones.ts';
import { type IngestOptions, reportsEndpoint } from './ingest/reports.ts';
import { isOfApi, methodNotAllowed, noteRoutes, pathOf } from './known-paths.ts';
import { mountLive } from './live.ts';
import { isForeignHost } from './local-network.ts';
import { type MapFileOptions, mountMapFiles } from './map-file-route.ts';
import { Meter } from './meter.ts';
import {
  countRequest,
  type MountedOperation,
  mountOperations,
  type RequestContext,
  setRateLimitHeaders,
} from './mount.ts';
import { DownlinkPushes, type NetworkContext } from './networks/context.ts';
import { networkEndpoints } from './networks/endpoints.ts';
import { mountOpenid, type OpenidRouteOptions } from './openid-routes.ts';
import { mountOperators, type Operators } from './operators.ts';
import { mountPages } from './pages.ts';
import type { FailureLimit } from './rate-limit.ts';
import { mountReference } from './reference.ts';
import { refusalAnswer } from './refusal-answer.ts';
import { requestIdOf } from './request.ts';
import {
  answerPreflight,
  mountSecurityTxt,
  openToOrigins,
  setSecurityHeaders,
  transportSecurity,
} from './security-headers.ts';
import { mountSession, type SessionRouteOptions } from './session-cookie.ts';
import { mountReportStream } from './sockets/report-stream.ts';
import { isForSocket, mountSockets, routeUpgrades } from './sockets/sockets.ts';
import { keyOfCaller, type Trust, trustOf, type UntrustedProxies } from './trust-proxy.ts';

export interface HttpOptions {
  readonly context: RequestContext;
  readonly live: LiveStreams;
  readonly session: SessionRouteOptions;
  readonly broker: BrokerHookOptions;
  /** Absent if OpenID Connect is not configured. */
  readonly openid?: OpenidRouteOptions;
  readonly operators: Operators;
  readonly ingest: IngestOptions;
  readonly networks: Pick<NetworkContext, 'devices' | 'notes' | 'egress'>;
  readonly console: ConsoleOptions;
  readonly mapFiles: MapFileOptions;
  readonly log: Log;
  readonly bodyLimit: number;
  /** The proxies in front of the server; empty for none. */
  readonly trustProxy: string;
  readonly proxies: UntrustedProxies;
  /** Simultaneous connections of one address; 0 for no limit. */
  readonly connectionLimit: number;
  /** The configured host that it listens on. */
  readonly host: string;
  /** Absent if it serves plain HTTP. */
  readonly certificate: CertificateSource | undefined;
  /** Absent if the server obtains no certificate itself. */
  readonly challenge?: ChallengeContext | undefined;
  /** Whether callers reach the server by HTTPS. */
  readonly isSecure: boolean;
  /** Limits requests for unknown addresses per caller. */
  readonly unknown: FailureLimit;
  readonly securityContact: string;
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' };
const SECONDS = 1000;
/** A connection is closed if its client reads nothing of a waiting response for this long. */
const UNREAD_S = 15;

/**
 * Creates the HTTP server with explicit limits: a slow or silent client costs one socket for a bounded time and nothing
 * else.
 */
export function createHttpServer(options: HttpOptions): FastifyInstance {
  const { context, log } = options;
  const meter = new Meter();
  const trust = trustOf(options.trustProxy);
  let serve: RequestListener;
  const isForeign = (request: IncomingMessage) => isForeignHost(request, options.host);
  const server = fastify({
    logger: false,
    genReqId: requestIdOf,
    bodyLimit: options.bodyLimit,
    ...(trust && { trustProxy: trust }),
    exposeHeadRoutes: false,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    serverFactory: (handle) => {
      const listen: RequestListener = (request, response) => {
        if (isForeign(request)) return refuseForeignHost(response);
        request.url = REPORTING_ONLY.has(request.socket) ? reportUrl(request) : rootReport(request);
        serve(request, response);
      };
      serve = handle;
      return connectionsOf(listen, isForeign, options, trust);
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      caseSensitive: false,
      // Fastify must not reject a long id: our own check returns that the id is unknown.
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
    const refused = {
      id,
      method,
      url,
      route: mounted?.url ?? request.routeOptions?.url,
      bodyLimit: request.routeOptions?.bodyLimit,
    };
    const { status, headers, body } = refusalAnswer(error, refused, log);
    // Requests refused before authentication count against the address.
    if (!reply.hasHeader('x-ratelimit-limit'))
      setRateLimitHeaders(reply, context.limit.count(keyOfCaller(request), timeNow()));
    const { operation = 'other' } = (request.routeOptions?.config ?? {}) as { operation?: string };
    meter.note(mounted?.name ?? operation, status, reply.elapsedTime / 1000);
    return reply.code(status).headers(headers).send(body);
  }

  const known = noteRoutes<MountedOperation>(server);
  const readBody = takeBodies(server);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    options.proxies.note(request, timeNow());
    done();
  });
  openToOrigins(server);
  compressAnswers(server);
  // Decided by the address alone, before the token is checked.
  server.addHook('onRequest', (request, reply, done) => {
    const url = request.raw.url!;
    if (!isOfApi(url)) return done();
    const allow = known.at(pathOf(url))?.allow;
    // Paths without a route, and the wildcard route of operations, are answered with 404 by a later handler.
    const route = request.routeOptions.url;
    if (allow === undefined) return route === undefined || route.endsWith('*') ? done() : reply.callNotFound();
    if (allow.split(', ').includes(request.method) && request.method !== 'OPTIONS') return done();
    try {
      countRequest(reply, context.limit, keyOfCaller(request), timeNow());
    } catch (error) {
      return done(error as Error);
    }
    if (request.method !== 'OPTIONS') return done(methodNotAllowed(request.method, allow));
    answerPreflight(reply, allow);
  });
  setSecurityHeaders(server, { isSecure: options.isSecure });
  // Operations and reports are counted by user or device; pages and files by address.
  server.addHook('onRequest', (request, reply, done) => {
    const { url, config } = request.routeOptions;
    const isCounted = url === undefined || 'operation' in config || url === '/healthz' || url === '/readyz';
    if (isCounted) return done();
    try {
      countRequest(reply, context.limit, keyOfCaller(request), timeNow());
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
    countRequest(reply, context.limit, keyOfCaller(request), timeNow());
    const page = webConsole.serveUnknown(request, reply);
    if (page) return page;
    if (method === 'OPTIONS') return answerPreflight(reply);
    options.unknown.check(keyOfCaller(request), timeNow());
    options.unknown.failed(keyOfCaller(request), timeNow());
    return sendError(new Refusal(404, `There is no method to handle ${method} ${path.slice(0, 200)}`), request, reply);
  });

  mountOperations(server, context, meter, known);
  mountLive(server, context, options.live);
  mountMapFiles(server, context, options.mapFiles);
  routeUpgrades(server);
  mountSockets(server, context, { live: options.live, log, frameLimit: options.bodyLimit });
  mountBrokerHooks(server, context, options.broker);
  mountSession(server, context, options.session, meter);
  if (options.openid) mountOpenid(server, context, options.openid);
  mountReference(server);
  mountPages(server);
  mountSecurityTxt(server, options.securityContact);
  let isClosing = false;
  server.addHook('preClose', async () => {
    isClosing = true;
  });
  mountReportStream(server, { ...options.ingest, log }, meter);
  const networks = { ...options.ingest, ...options.networks, gate: context.gate, pushes: new DownlinkPushes() };
  const endpoints = new Map([
    ['reports', reportsEndpoint(options.ingest, readBody)],
    ...phoneProtocols.map((protocol) => [protocol.name, phoneEndpoint(options.ingest, protocol)] as const),
    ...networkEndpoints(networks),
  ]);
  const ingesting = {
    meter,
    log,
    trust,
    proxies: options.proxies,
    requests: context.limit,
    headers: { 'x-content-type-options': 'nosniff', ...transportSecurity(options.isSecure) },
    isOpen: () => !isClosing,
  };
  serve = ingestListener(endpoints, ingesting, serve!);
  mountOperators(server, options.operators, meter);
  return server;
}

/** Connections on tracker ports. */
const REPORTING_ONLY = new WeakSet<Socket>();

/** Serves HTTP on a connection of a tracker port: only reports. */
export function serveReports(server: FastifyInstance, socket: Socket): void {
  REPORTING_ONLY.add(socket);
  // A server of HTTPS would expect the beginning of TLS in other connections.
  server.server.emit(server.server instanceof SecureServer ? 'secureConnection' : 'connection', socket);
}

/**
 * The HTTP server below Fastify. It closes connections of clients that are slow, silent or do not read after a bounded
 * time.
 */
function connectionsOf(
  handle: RequestListener,
  isForeign: (request: IncomingMessage) => boolean,
  { connectionLimit, certificate, challenge }: Pick<HttpOptions, 'connectionLimit' | 'certificate' | 'challenge'>,
  trust: Trust | undefined,
): Server {
  const http = {
    keepAliveTimeout: 65 * SECONDS,
    requestTimeout: 30 * SECONDS,
    headersTimeout: 15 * SECONDS,
    connectionsCheckingInterval: 5 * SECONDS,
    // A filter with a list of 1,000 keys must fit into the address.
    maxHeaderSize: 64 * 1024,
    // What is not upgraded is refused as an ordinary request.
    shouldUpgradeCallback: (request: IncomingMessage) =>
      !REPORTING_ONLY.has(request.socket) && !isForeign(request) && isForSocket(request),
  };
  const idleMs = 125 * SECONDS;
  const unreadMs = UNREAD_S * SECONDS;
  const server = certificate
    ? secureServer(http, inTurn(handle), certificate, challenge)
    : createServer(http, inTurn(handle));
  server.setTimeout(idleMs);
  limitConnections(server, connectionLimit, trust);
  endUnread(server, unreadMs);
  if (server instanceof SecureServer)
    addHttp2(server, handle, { idleMs, unreadMs, requestMs: http.requestTimeout, maxHeaderSize: http.maxHeaderSize });
  return server;
}

/**
 * Serves HTTPS. A renewed certificate is used from the next connection on; open connections stay. Without a certificate
 * connections fail.
 */
function secureServer(
  options: ServerOptions,
  handle: RequestListener,
  certificateNow: CertificateSource,
  challenge: ChallengeContext | undefined,
): Server {
  let used = certificateNow();
  const files = used && { cert: used.cert, key: used.key };
  const protocols = challenge ? answeringChallenges(challenge) : { ALPNProtocols: HTTP_PROTOCOLS };
  const server = createSecureServer({ ...options, ...protocols, ...files }, handle);
  server.prependListener('connection', () => {
    const certificate = certificateNow();
    if (certificate !== used) server.setSecureContext(certificate ?? {});
    used = certificate;
  });
  return server;
}

function refuseForeignHost(response: ServerResponse): void {
  const message = 'In the local network, use the IP address of this server or the name of its machine';
  const error = { statusCode: 421, name: 'Error', code: 'HOST_NOT_ALLOWED', message };
  response.writeHead(421, JSON_HEADERS).end(JSON.stringify({ error }));
}

/** Answers input that is not valid HTTP with a JSON error, then closes the socket. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
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
