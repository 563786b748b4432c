import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook on this machine that records what it receives. */
export interface Receiver {
  readonly address: string;
  /** The ids of the received messages, in order, including repeats. */
  readonly received: string[];
  /** The `Message` of each envelope, by the id of the message. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
  readonly messages: Map<string, any>;
  /** Delay before an answer. */
  delayMs: number;
  /** The status of its answers. */
  status: number;
  /** Resolves once this many different messages have been received. */
  has(count: number): Promise<void>;
  /** Stops listening. */
  close(): Promise<void>;
  /** Listens again at the same address. */
  listen(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: string[] = [];
  const messages: Receiver['messages'] = new Map();
  let waiting: { count: number; resolve(): void }[] = [];
  let server: Server | undefined;
  let port = 0;

  async function listen(): Promise<void> {
    server = createServer(async (request, response) => {
      const text = Buffer.concat(await request.toArray()).toString();
      const id = request.headers['webhook-id'] as string;
      if (receiver.status < 300) {
        received.push(id);
        messages.set(id, JSON.parse(JSON.parse(text).Message));
        for (const { count, resolve } of waiting) if (messages.size >= count) resolve();
        waiting = waiting.filter(({ count }) => messages.size < count);
      }
      setTimeout(() => response.writeHead(receiver.status).end(), receiver.delayMs);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }

  await listen();
  const receiver: Receiver = {
    address: `http://127.0.0.1:${port}/hook`,
    received,
    messages,
    delayMs: 0,
    status: 200,
    has: (count) =>
      new Promise((resolve) => {
        if (messages.size >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    async close() {
      const closed = new Promise((resolve) => server!.close(resolve));
      server!.closeAllConnections();
      await closed;
    },
    listen,
  };
  return receiver;
}
