import type { RequestListener } from 'node:http';
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ACME_TLS } from './tls-challenge.ts';

export interface Http2Limits {
  /** A session without any data is closed after this time. */
  readonly idleMs: number;
  /** Time for a request to arrive completely. */
  readonly requestMs: number;
  /** A session is closed if its client reads nothing of waiting responses for this long. */
  readonly unreadMs: number;
  readonly maxHeaderSize: number;
}

/** Requests of a session at a time; browsers expect about 100. */
const MOST_STREAMS = 100;
const SWEEP_MS = 3000;
/** Fewer bytes in `unreadMs` are no progress: the replies to pings of a client that does not read. */
const PROGRESS_BYTES = 1024;

interface Seen {
  readonly streams: Set<ServerHttp2Stream>;
  /** Bytes written when it last made progress. */
  written: number;
  since: number;
}

/**
 * Serves HTTP/2 to clients that offer it, on the same port and by the same listener. Other clients, and web sockets,
 * which need a connection of their own, use HTTP/1.1 as before.
 */
export function addHttp2(server: SecureServer, handle: RequestListener, limits: Http2Limits): void {
  const sessions = new Map<ServerHttp2Session, Seen>();
  const { idleMs, requestMs, unreadMs, maxHeaderSize } = limits;
  const settings = { maxConcurrentStreams: MOST_STREAMS, maxHeaderListSize: maxHeaderSize };
  const http2 = createServer({ settings }, (request, response) => {
    // HTTP/2 sends the name of the host in this field instead.
    request.headers.host ??= request.headers[':authority'];
    limitTime(request, requestMs);
    const { stream } = request;
    const streams = sessions.get(stream.session as ServerHttp2Session)?.streams;
    streams?.add(stream);
    stream.once('close', () => streams?.delete(stream));
    (handle as (...args: unknown[]) => void)(request, response);
  });
  http2.on('session', (session) => {
    sessions.set(session, { streams: new Set(), written: 0, since: performance.now() });
    session.setTimeout(idleMs, () => session.destroy());
    session.once('close', () => sessions.delete(session));
  });
  // An error of a session ends that session only.
  http2.on('sessionError', () => {});

  const serveHttp1 = server.listeners('secureConnection')[0] as (socket: Socket) => void;
  server.off('secureConnection', serveHttp1);
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.emit('connection', socket);
    // The certificate was the answer.
    else if (socket.alpnProtocol === ACME_TLS) socket.destroy();
    else serveHttp1.call(server, socket);
  });

  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [session, seen] of sessions) {
      const { bytesWritten } = session.socket;
      if (bytesWritten - seen.written >= PROGRESS_BYTES || !isWaiting(seen))
        Object.assign(seen, { written: bytesWritten, since: now });
      else if (now - seen.since > unreadMs) session.destroy();
    }
  }, SWEEP_MS);
  sweep.unref();
  server.once('close', () => clearInterval(sweep));

  // A server that closes waits for all connections; it knows only those of HTTP/1.1.
  const closeIdle = server.closeIdleConnections.bind(server);
  const closeAll = server.closeAllConnections.bind(server);
  server.closeIdleConnections = () => {
    closeIdle();
    for (const session of sessions.keys()) if (!session.closed) session.close();
  };
  server.closeAllConnections = () => {
    closeAll();
    for (const session of sessions.keys()) session.destroy();
  };
}

const isWaiting = ({ streams }: Seen) => [...streams].some(({ writableLength }) => writableLength > 0);

function limitTime(request: Http2ServerRequest, requestMs: number): void {
  if (request.stream.endAfterHeaders) return;
  const timer = setTimeout(() => request.stream.close(constants.NGHTTP2_CANCEL), requestMs);
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer));
}
