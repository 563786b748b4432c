import { connect, type Socket } from 'node:net';
import type { LocatedPoint, TrackerVoice } from './voice.ts';

/** What goes wrong on the way, as it does in the field. Each is a share of the frames. */
export interface LineFaults {
  /** The frame comes in two pieces. */
  readonly halves?: number;
  /** The connection ends in the middle of the frame; the device dials again and sends it whole. */
  readonly breaks?: number;
  /** The device missed the answer and sends the frame again. */
  readonly resends?: number;
}

export interface LineOptions {
  readonly voice: TrackerVoice;
  readonly identity: string;
  readonly host: string;
  readonly port: number;
  readonly faults?: LineFaults;
  /** From 0 to 1. */
  readonly random?: () => number;
}

/** The server does not know the device, or refuses it. */
export class Refused extends Error {}

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

/** A simulated tracker's connection: it dials, logs in, and sends a frame at a time until the server has confirmed it. */
export class TrackerLine {
  readonly #options: LineOptions;
  #socket: Socket | undefined;
  #remaining: Buffer = Buffer.alloc(0);
  #isLoggedIn = false;
  #waiting: Waiting | undefined;
  #serial = 1;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** Dials and logs in, where it is not connected. Rejects with `Refused` where the server does not take the device. */
  async open(): Promise<void> {
    if (this.#socket) return;
    const { voice, identity, host, port } = this.#options;
    const socket = connect({ host, port });
    this.#socket = socket;
    this.#remaining = Buffer.alloc(0);
    this.#isLoggedIn = false;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#hear(bytes));
    socket.on('error', (error) => this.#end(socket, error));
    socket.on('close', () => this.#end(socket, new Refused('The server ended the connection.')));
    await new Promise<void>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      socket.once('connect', resolve);
    });
    if (voice.login) await this.#exchange(voice.login(identity), true);
    else this.#isLoggedIn = true;
  }

  /** Sends positions in as many frames as they need. */
  async report(points: readonly LocatedPoint[]): Promise<void> {
    const { voice } = this.#options;
    for (let from = 0; from < points.length; from += voice.pointsPerFrame)
      await this.#sendSurely(points.slice(from, from + voice.pointsPerFrame));
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#settle(new Error('The connection was closed.'));
  }

  async #sendSurely(points: readonly LocatedPoint[]): Promise<void> {
    const { voice, identity, faults = {}, random = Math.random } = this.#options;
    const frame = voice.report(identity, points, this.#serial);
    this.#serial += 1;
    await this.open();
    const middle = 1 + Math.floor(random() * (frame.length - 1));
    if (random() < (faults.breaks ?? 0)) {
      this.#socket!.write(frame.subarray(0, middle));
      this.close();
      await this.open();
    }
    if (random() < (faults.halves ?? 0)) {
      this.#socket!.write(frame.subarray(0, middle));
      await new Promise((resolve) => setImmediate(resolve));
      await this.#exchange(frame.subarray(middle), voice.isConfirmed);
    } else await this.#exchange(frame, voice.isConfirmed);
    if (random() < (faults.resends ?? 0)) await this.#exchange(frame, voice.isConfirmed);
  }

  #exchange(bytes: Buffer, isAnswered: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#socket) return reject(new Refused('The server ended the connection.'));
      this.#waiting = { resolve, reject };
      this.#socket.write(bytes, () => {
        if (!isAnswered) this.#settle();
      });
    });
  }

  #hear(bytes: Buffer): void {
    const { answers, remaining } = this.#options.voice.onData(
      Buffer.concat([this.#remaining, bytes]),
      this.#isLoggedIn,
    );
    this.#remaining = Buffer.from(remaining);
    for (const answer of answers) {
      if (answer === 'refused') this.#settle(new Refused('The server does not take this device.'));
      else if (answer === 'accepted') this.#isLoggedIn = true;
      if (answer === 'accepted' || answer === 'confirmed') this.#settle();
    }
  }

  #settle(error?: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (error) waiting?.reject(error);
    else waiting?.resolve();
  }

  #end(socket: Socket, error: Error): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#settle(error);
  }
}
