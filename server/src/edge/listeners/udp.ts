import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { timeNow } from '../../platform/clock.ts';
import { Conversation } from './conversation.ts';
import type { Line, TrackerOffice, TrackerPort } from './office.ts';

export interface UdpLimits {
  /** Peers that are remembered. */
  readonly peers: number;
  /** A peer that says nothing for so long is forgotten. */
  readonly idleMs: number;
}

/** The system keeps so much for us while reports are being stored. */
const RECEIVE_BUFFER = 1024 * 1024;

/** The ports on which trackers report by UDP. A peer is an address and a port, and each datagram says who sends it. */
export class UdpPeers {
  readonly #office: TrackerOffice;
  readonly #limits: UdpLimits;
  readonly #peers = new Map<string, Conversation>();
  readonly #sockets: Socket[] = [];
  #listening = 0;
  #isStopping = false;

  constructor(office: TrackerOffice, limits: UdpLimits) {
    this.#office = office;
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
        socket.on('error', (error) => this.#office.log.warn({ error }, 'A datagram of a tracker was lost'));
        try {
          socket.setRecvBufferSize(RECEIVE_BUFFER);
        } catch {
          // The system does not allow more than it has.
        }
        this.#sockets.push(socket);
        resolve(socket.address().port);
      });
    });
  }

  sweep(now: number): void {
    for (const [key, { heardAt }] of this.#peers) if (now - heardAt > this.#limits.idleMs) this.#forget(key);
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
    const peer = new Conversation(this.#office, port, line, timeNow());
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

  /** What nobody reads is lost by itself. */
  setReading(): void {}
}

/** A device sends again what is not answered. */
const ignore = () => {};
