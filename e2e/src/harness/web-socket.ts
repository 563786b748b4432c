import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventually } from '../../../server/src/testing/eventually.ts';

// biome-ignore lint/suspicious/noExplicitAny: what tests look into.
export type Frame = Record<string, any>;

/** A client of the web sockets, and all that it got. */
export class SocketClient {
  readonly frames: Frame[] = [];
  /** The code and reason it was closed with. */
  closed: { readonly code: number; readonly reason: string } | undefined;
  /** The answer, where it was refused. */
  refused:
    | { readonly status: number; readonly headers: NodeJS.Dict<string | string[]>; readonly body: Frame }
    | undefined;
  readonly socket: WebSocket;

  constructor(address: string, path: string, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(address.replace('http', 'ws') + path, { headers });
    this.socket.on('message', (data) => this.frames.push(JSON.parse(data.toString())));
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    this.socket.on('error', () => {});
    this.socket.on('unexpected-response', async (_request, response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      this.refused = { status: response.statusCode!, headers: response.headers, body: JSON.parse(text) };
    });
  }

  async opened(): Promise<this> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, 'open');
    return this;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  of(type: string): Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  /** Those of the live stream, by the name of the event. */
  events(name: string): Frame[] {
    return this.of('srv').filter(({ data }) => data.event === name);
  }

  async until(isDone: (client: this) => boolean, what: string): Promise<this> {
    await eventually(
      what,
      () => this.frames.slice(-20),
      () => isDone(this),
    );
    return this;
  }

  /** Sends a frame, and waits for the answer with its `messageId`. */
  async ask(frame: Frame): Promise<Frame> {
    const messageId = `ask ${Math.random()}`;
    this.send({ ...frame, messageId });
    const found = () => this.frames.find((one) => one.messageId === messageId);
    await this.until(() => found() !== undefined, `an answer to ${frame.type}`);
    return found()!;
  }

  close(): void {
    this.socket.terminate();
  }
}
