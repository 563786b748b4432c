import { createServer, type Server, type Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { timeNow } from '../../platform/clock.ts';
import { addressKey } from '../../platform/egress/ip.ts';
import type { Line, ListenerContext, TrackerPort } from './context.ts';
import { Conversation } from './conversation.ts';
import { strangerOf } from './recognise.ts';

interface TcpLimits {
  /** Maximum number of connections; 0 = no limit. */
  readonly connections: number;
  /** Maximum number of connections of one address; 0 = no limit. */
  readonly perAddress: number;
  /** A connection without data for this long is closed. */
  readonly idleMs: number;
  /** How long a connection may stay open without an identified device. */
  readonly unknownMs: number;
  /** Serves an HTTP connection; absent if HTTP is not accepted. */
  readonly serveHttp?: (socket: Socket) => void;
}

/** Maximum size of responses that a device has not read. Each is a few bytes, so regular devices stay far below it. */
const MOST_UNREAD_BYTES = 64 * 1024;
/** Time limit for conversations to end when the service stops. */
const STOP_MS = 5000;
/** TCP keep-alive detects half-open connections. */
const KEEP_ALIVE_MS = 300_000;
/** Used when another connection identifies as the same device: this one may be left over from a lost network. */
const PROBE_MS = 5000;
const BAD_REQUEST =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 38\r\nConnection: close\r\n\r\nThis port is for trackers, not HTTP.\r\n';

/** The tracker connections on all ports. */
export class TcpConnections {
  readonly #context: ListenerContext;
  readonly #limits: TcpLimits;
  readonly #secure: (() => SecureContext | undefined) | undefined;
  readonly #open = new Map<Socket, Conversation>();
  readonly #sockets = new Set<Socket>();
  readonly #perAddress = new Map<string, number>();
  readonly #servers: Server[] = [];
  #refused = 0;

  constructor(context: ListenerContext, limits: TcpLimits, secure?: () => SecureContext | undefined) {
    this.#context = context;
    this.#limits = limits;
    this.#secure = secure;
  }

  get count(): number {
    return this.#sockets.size;
  }

  /** Number of connections rejected by the limits since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Number of open connections by protocol. */
  byProtocol(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { protocolName = 'unknown' } of this.#open.values())
      counts.set(protocolName, (counts.get(protocolName) ?? 0) + 1);
    return counts;
  }

  /** Resolves with the port once it is listening. */
  listen(host: string, number: number, port: TrackerPort): Promise<number> {
    const options = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
    const server = createServer(options, (socket) => this.#admit(socket, port));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port: number }, () => {
        server.off('error', reject);
        // Running out of file descriptors must not end the process.
        server.on('error', (error) => this.#context.log.warn({ error }, 'A tracker could not connect'));
        this.#servers.push(server);
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : number);
      });
    });
  }

  /** Closes idle and unidentified connections. Called periodically. */
  sweep(now: number): void {
    for (const [socket, conversation] of this.#open) {
      const { lastDataAt, openedAt, isKnown } = conversation;
      if (now - lastDataAt > this.#limits.idleMs || (!isKnown && now - openedAt > this.#limits.unknownMs)) {
        conversation.ended();
        socket.destroy();
      } else conversation.look(now);
    }
  }

  /** Stops reading; reports in progress are still answered. */
  async stop(): Promise<void> {
    for (const server of this.#servers) server.close();
    const closed = Promise.all([...this.#sockets].map((socket) => new Promise((done) => socket.once('close', done))));
    const late = setTimeout(() => this.#destroyAll(), STOP_MS);
    await Promise.all([...this.#open.values()].map((conversation) => conversation.finish()));
    await closed;
    clearTimeout(late);
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #admit(socket: Socket, port: TrackerPort): void {
    const address = socket.remoteAddress;
    if (address === undefined || !this.#hasRoom(addressKey(address))) {
      this.#refused += 1;
      socket.destroy();
      return;
    }
    const key = addressKey(address);
    this.#perAddress.set(key, (this.#perAddress.get(key) ?? 0) + 1);
    this.#sockets.add(socket);
    socket.on('error', ignore);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      const left = this.#perAddress.get(key)! - 1;
      if (left === 0) this.#perAddress.delete(key);
      else this.#perAddress.set(key, left);
    });
    this.#converse(socket, address, port, this.#secure !== undefined);
  }

  #hasRoom(key: string): boolean {
    const { connections, perAddress } = this.#limits;
    if (connections > 0 && this.#sockets.size >= connections) return false;
    return perAddress === 0 || (this.#perAddress.get(key) ?? 0) < perAddress;
  }

  #converse(socket: Socket, address: string, port: TrackerPort, mayBeSecure: boolean): void {
    const line = new SocketLine(socket, address);
    const conversation = new Conversation(this.#context, port, line, timeNow());
    this.#open.set(socket, conversation);
    let start: Buffer | undefined = Buffer.alloc(0);
    const take = (bytes: Buffer) => {
      if (start === undefined) {
        conversation.hear(bytes, timeNow());
        return;
      }
      start = start.length === 0 ? bytes : Buffer.concat([start, bytes]);
      const stranger = strangerOf(start);
      if (stranger === 'more') return;
      const first = start;
      start = undefined;
      if (stranger === undefined) {
        conversation.hear(first, timeNow());
        return;
      }
      this.#open.delete(socket);
      socket.off('data', take);
      if (stranger === 'http') this.#serveHttp(socket, first, ended);
      else if (mayBeSecure) this.#secured(socket, first, address, port);
      else socket.destroy();
    };
    socket.on('data', take);
    // The device sends no more, but may still wait for responses.
    const ended = () => (start === undefined ? conversation.drain() : socket.destroy());
    socket.once('end', ended);
    socket.once('close', () => {
      conversation.ended();
      this.#open.delete(socket);
    });
  }

  /** Many apps and boards report over HTTP to the port for trackers. */
  #serveHttp(socket: Socket, first: Buffer, ended: () => void): void {
    const { serveHttp } = this.#limits;
    if (serveHttp === undefined) {
      socket.end(BAD_REQUEST);
      return;
    }
    socket.off('end', ended);
    socket.pause();
    socket.unshift(first);
    serveHttp(socket);
    socket.resume();
  }

  /** Devices with and without TLS use the same port. */
  #secured(socket: Socket, hello: Buffer, address: string, port: TrackerPort): void {
    const secureContext = this.#secure!();
    if (secureContext === undefined) return void socket.destroy();
    socket.pause();
    socket.unshift(hello);
    const secure = new TLSSocket(socket, { isServer: true, secureContext });
    secure.on('error', () => socket.destroy());
    secure.once('close', () => socket.destroy());
    this.#converse(secure, address, port, false);
  }
}

const ignore = () => {};

class SocketLine implements Line {
  readonly address: string;
  readonly transport = 'tcp';
  readonly #socket: Socket;

  constructor(socket: Socket, address: string) {
    this.#socket = socket;
    this.address = address;
  }

  send(answers: readonly Buffer[]): boolean {
    if (!this.#socket.writable) return false;
    this.#socket.write(answers.length === 1 ? answers[0]! : Buffer.concat(answers));
    if (this.#socket.writableLength > MOST_UNREAD_BYTES) this.#socket.destroy();
    return true;
  }

  close(): void {
    this.#socket.end();
    // A device that keeps sending would keep the socket open.
    this.#socket.destroySoon();
  }

  probe(): void {
    this.#socket.setKeepAlive(true, PROBE_MS);
  }

  setReading(isReading: boolean): void {
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }
}
