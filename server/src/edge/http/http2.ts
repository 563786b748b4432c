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
import type { SecureContext, TLSSocket, TlsOptions } from 'node:tls';

interface Http2Limits {
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

  // A server that closes waits for all connections; its own list has only connections of HTTP/1.1.
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

/** The protocol that a certificate authority offers when it checks a domain by TLS-ALPN-01 (RFC 8737). */
const ACME_TLS = 'acme-tls/1';
export const HTTP_PROTOCOLS = ['h2', 'http/1.1'];

/** The certificate that answers the challenge in progress; undefined if there is none for this name. */
export type ChallengeContext = (name: string) => Promise<SecureContext | undefined>;

/** Options of a TLS server that answers challenges besides serving its usual connections. */
export function answeringChallenges(contextOf: ChallengeContext): TlsOptions {
  // TLS 1.3 chooses the protocol before the certificate, so that both callbacks see the same connection in this order.
  const challenged = new WeakSet<TLSSocket>();
  return {
    ALPNCallback(this: TLSSocket, { protocols }) {
      if (!protocols.includes(ACME_TLS)) return HTTP_PROTOCOLS.find((one) => protocols.includes(one));
      challenged.add(this);
      return ACME_TLS;
    },
    SNICallback(this: TLSSocket, name, done) {
      if (!challenged.has(this)) return done(null);
      contextOf(name).then((context) => done(context ? null : new Error('No challenge is in progress'), context), done);
    },
  };
}
