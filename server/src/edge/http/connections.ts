import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { addressKey } from '../../platform/egress/ip.ts';
import type { Trust } from './trust-proxy.ts';

/**
 * Limits the simultaneous connections of an address; further ones are closed at once. Trusted proxies are exempt
 * because they forward for many clients.
 */
export function limitConnections(server: Server, most: number, trust: Trust | undefined): void {
  if (most === 0) return;
  const counts = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || trust?.(remoteAddress, 0)) return;
    const key = addressKey(remoteAddress);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    socket.once('close', () => {
      const left = counts.get(key)! - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    });
    if (count > most) socket.destroy();
  });
}

const SWEEP_MS = 3000;

interface Seen {
  /** Bytes that the kernel has accepted so far. */
  taken: number;
  /** Time since which the kernel has accepted no bytes, although some are waiting. */
  since: number;
}

/** Closes connections whose client has read nothing of a waiting response for `mostMs`. */
export function endUnread(server: Server, mostMs: number, sweepMs = SWEEP_MS): void {
  const open = new Map<Socket, Seen>();
  // With TLS, responses wait in the secure socket.
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.set(socket, { taken: 0, since: 0 });
    socket.once('close', () => open.delete(socket));
  });
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [socket, seen] of open) {
      const waiting = waitingIn(socket);
      const taken = socket.bytesWritten - waiting;
      if (waiting === 0 || taken !== seen.taken) seen.since = now;
      else if (now - seen.since > mostMs) socket.destroy();
      seen.taken = taken;
    }
  }, sweepMs);
  sweep.unref();
  server.once('close', () => clearInterval(sweep));
}

/** Bytes that the kernel has not accepted yet. Node uses the same value to decide whether a write makes progress. */
const waitingIn = (socket: Socket): number =>
  (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;

/**
 * Maximum number of requests that wait for the response before them, on one connection and on all connections together.
 */
const MOST_WAITING = 256;
const MOST_WAITING_IN_ALL = 20_000;

/** The response in progress on a connection, and the requests waiting behind it. */
interface Line {
  answer: ServerResponse | undefined;
  readonly waiting: { readonly request: IncomingMessage; readonly response: ServerResponse }[];
}

/**
 * Handles one request of a connection at a time. Node reads further requests while a response is being sent, and would
 * build all responses for a client that never reads any.
 */
export function inTurn(handle: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  let waitingInAll = 0;

  function serve(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.answer = response;
    handle(request, response);
    if (line.waiting.length > 0) line.answer.once('close', () => next(line));
  }

  function next(line: Line): void {
    const behind = line.waiting.shift();
    if (behind === undefined) return;
    waitingInAll -= 1;
    if (behind.request.socket.destroyed) {
      waitingInAll -= line.waiting.length;
      line.waiting.length = 0;
    } else serve(line, behind.request, behind.response);
  }

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    let line = lines.get(socket);
    if (line === undefined) {
      line = { answer: undefined, waiting: [] };
      lines.set(socket, line);
    }
    const isFree = line.answer === undefined || line.answer.writableFinished || line.answer.destroyed;
    if (isFree && line.waiting.length === 0) {
      serve(line, request, response);
      return;
    }
    if (line.waiting.length >= MOST_WAITING || waitingInAll >= MOST_WAITING_IN_ALL) {
      socket.destroy();
      return;
    }
    waitingInAll += 1;
    line.waiting.push({ request, response });
    if (line.waiting.length === 1) {
      const current = line;
      line.answer!.once('close', () => next(current));
    }
  };
}

const CLOSE_SWEEP_MS = 50;

/**
 * Stops accepting requests and completes the accepted ones; a stalled client cannot delay the close.
 * @param patienceMs shorter than the time limit of the whole shutdown, so that there is time to close the store
 */
export async function closeHttpServer(server: FastifyInstance, patienceMs = 5_000): Promise<void> {
  const { server: connections } = server;
  // A connection that is busy now would otherwise stay open after its response until the client closes it.
  const sweep = setInterval(() => connections.closeIdleConnections(), CLOSE_SWEEP_MS);
  // Node no longer enforces its limits on slow requests once the server is closing.
  const patience = setTimeout(() => connections.closeAllConnections(), patienceMs);
  try {
    await server.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(patience);
  }
}
