import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { timeNow } from '../../platform/clock.ts';
import type { Line, ListenerContext, TrackerPort } from './context.ts';
import { Conversation } from './conversation.ts';

interface UdpLimits {
  /** Maximum number of remembered peers. */
  readonly peers: number;
  /** A peer that is silent for this long is forgotten. */
  readonly idleMs: number;
}

/** Receive buffer of the kernel while reports are being stored. */
const RECEIVE_BUFFER = 1024 * 1024;

/** The UDP ports for trackers. A peer is an address and a port, and each datagram identifies its sender. */
export class UdpPeers {
  readonly #context: ListenerContext;
  readonly #limits: UdpLimits;
  readonly #peers = new Map<string, Conversation>();
  readonly #sockets: Socket[] = [];
  #listening = 0;
  #isStopping = false;

  constructor(context: ListenerContext, limits: UdpLimits) {
    this.#context = context;
    this.#limits = limits;
  }

  get count(): number {
    return this.#peers.size;
  }

  listen(host: string, number: number, port: TrackerPort): Promise<number> {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
    const local = ++this.#listening;
    socket.on('message', (datagram, { address, port: from }) => {
      if (this.#isStopping || datagram.length === 0) return;
      this.#peerOf(socket, `${local} ${address} ${from}`, address, from, port).hear(datagram, timeNow());
    });
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(number, host, () => {
        socket.off('error', reject);
        socket.on('error', (error) => this.#context.log.warn({ error }, 'A datagram of a tracker was lost'));
        try {
          socket.setRecvBufferSize(RECEIVE_BUFFER);
        } catch {
          // The kernel limits the size of the buffer.
        }
        this.#sockets.push(socket);
        resolve(socket.address().port);
      });
    });
  }

  sweep(now: number): void {
    for (const [key, peer] of this.#peers)
      if (now - peer.lastDataAt > this.#limits.idleMs) this.#forget(key);
      else peer.look(now);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#peers.values()].map((peer) => peer.finish()));
    for (const socket of this.#sockets.splice(0)) socket.close();
  }

  #forget(key: string): void {
    this.#peers.get(key)?.ended();
    this.#peers.delete(key);
  }

  #peerOf(socket: Socket, key: string, address: string, from: number, port: TrackerPort): Conversation {
    const known = this.#peers.get(key);
    if (known !== undefined) return known;
    if (this.#peers.size >= this.#limits.peers) this.#forget(this.#peers.keys().next().value!);
    const line = new DatagramLine(socket, address, from, () => this.#peers.delete(key));
    const peer = new Conversation(this.#context, port, line, timeNow());
    this.#peers.set(key, peer);
    return peer;
  }
}

class DatagramLine implements Line {
  readonly address: string;
  readonly transport = 'udp';
  readonly close: () => void;
  readonly #socket: Socket;
  readonly #port: number;

  constructor(socket: Socket, address: string, port: number, close: () => void) {
    this.#socket = socket;
    this.address = address;
    this.#port = port;
    this.close = close;
  }

  send(answers: readonly Buffer[]): boolean {
    for (const answer of answers) this.#socket.send(answer, this.#port, this.address, ignore);
    return true;
  }

  /** The kernel drops unread datagrams. */
  setReading(): void {}
}

/** A device repeats unanswered data. */
const ignore = () => {};
