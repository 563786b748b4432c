import { createServer, type Server, type Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { addressKey } from '../../platform/address-key.ts';
import { timeNow } from '../../platform/clock.ts';
import { Conversation } from './conversation.ts';
import type { Line, TrackerOffice, TrackerPort } from './office.ts';
import { strangerOf } from './recognise.ts';

export interface TcpLimits {
  /** Connections in all; 0 = no limit. */
  readonly connections: number;
  /** Connections of one address; 0 = no limit. */
  readonly perAddress: number;
  /** A connection on which nothing is heard for so long is closed. */
  readonly idleMs: number;
  /** So long a connection may stay open of which nobody knows who it is. */
  readonly unknownMs: number;
}

/** Answers that a device does not read. Each has a few bytes, so nobody honest comes near it. */
const MOST_UNREAD_BYTES = 64 * 1024;
/** How long conversations have to end when the service stops. */
const STOP_MS = 5000;
/** Half-open connections are found by the system. */
const KEEP_ALIVE_MS = 300_000;
const BAD_REQUEST =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 38\r\nConnection: close\r\n\r\nThis port is for trackers, not HTTP.\r\n';

/** The connections of trackers on all ports. */
export class TcpConnections {
  readonly #office: TrackerOffice;
  readonly #limits: TcpLimits;
  readonly #secure: (() => SecureContext) | undefined;
  readonly #open = new Map<Socket, Conversation>();
  readonly #sockets = new Set<Socket>();
  readonly #perAddress = new Map<string, number>();
  readonly #servers: Server[] = [];
  #refused = 0;

  constructor(office: TrackerOffice, limits: TcpLimits, secure?: () => SecureContext) {
    this.#office = office;
    this.#limits = limits;
    this.#secure = secure;
  }

  get count(): number {
    return this.#sockets.size;
  }

  /** Connections that there was no room for, since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Open connections by what is spoken on them. */
  byProtocol(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { protocolName = 'unknown' } of this.#open.values())
      counts.set(protocolName, (counts.get(protocolName) ?? 0) + 1);
    return counts;
  }

  /** Resolves with the port once it listens. */
  listen(host: string, number: number, port: TrackerPort): Promise<number> {
    const options = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
    const server = createServer(options, (socket) => this.#admit(socket, port));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port: number }, () => {
        server.off('error', reject);
        // Running out of file descriptors is no reason to end.
        server.on('error', (error) => this.#office.log.warn({ error }, 'A tracker could not connect'));
        this.#servers.push(server);
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : number);
      });
    });
  }

  /** Closes what is idle, and those of whom nobody knows who they are. Called every now and then. */
  sweep(now: number): void {
    for (const [socket, conversation] of this.#open) {
      const { heardAt, openedAt, isKnown } = conversation;
      if (now - heardAt > this.#limits.idleMs || (!isKnown && now - openedAt > this.#limits.unknownMs)) {
        conversation.ended();
        socket.destroy();
      } else conversation.look(now);
    }
  }

  /** Nothing more is read; what is being stored is still answered. */
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
    const conversation = new Conversation(this.#office, port, line, timeNow());
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
      if (stranger === 'http') socket.end(BAD_REQUEST);
      else if (mayBeSecure) this.#secured(socket, first, address, port);
      else socket.destroy();
    };
    socket.on('data', take);
    // It says no more, but may still wait for answers.
    socket.once('end', () => (start === undefined ? conversation.drain() : socket.destroy()));
    socket.once('close', () => {
      conversation.ended();
      this.#open.delete(socket);
    });
  }

  /** Devices with TLS use the same port as those without. */
  #secured(socket: Socket, hello: Buffer, address: string, port: TrackerPort): void {
    socket.pause();
    socket.unshift(hello);
    const secure = new TLSSocket(socket, { isServer: true, secureContext: this.#secure!() });
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
    // A device that goes on talking would keep it open.
    this.#socket.destroySoon();
  }

  setReading(isReading: boolean): void {
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }
}
