import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { percentile } from '../print/statistics.ts';

/**
 * The receiving process: webhooks, and a queue server behind a proxy that counts. Each of these endpoints can be closed
 * and opened again at the same address. The parent controls it by messages.
 */

export type Order =
  | { readonly do: 'open' | 'close' | 'reset' | 'read'; readonly door: string }
  | { readonly do: 'makeQueue'; readonly name: string };

export interface Received {
  readonly messages: number;
  /** Number of messages that arrived more than once. */
  readonly repeats: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

interface Envelope {
  readonly MessageId: string;
  readonly Timestamp: string;
}

type Answer = (request: IncomingMessage, body: Buffer, response: ServerResponse, door: Door) => void;

/** One endpoint and the messages it received. */
class Door {
  readonly #answer: Answer;
  #server: Server | undefined;
  #received = new Map<string, number>();
  #latencies: number[] = [];
  #firstAt = 0;
  #lastAt = 0;
  port = 0;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  async open(): Promise<void> {
    this.#server = createServer(async (incoming, response) => {
      this.#answer(incoming, Buffer.concat(await incoming.toArray()), response, this);
    });
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server!.close(resolve));
    this.#server!.closeAllConnections();
    await closed;
  }

  took(text: string): void {
    const { MessageId, Timestamp } = JSON.parse(text) as Envelope;
    const now = Date.now();
    this.#received.set(MessageId, (this.#received.get(MessageId) ?? 0) + 1);
    this.#latencies.push(now - Date.parse(Timestamp));
    this.#firstAt ||= now;
    this.#lastAt = now;
  }

  reset(): void {
    this.#received = new Map();
    this.#latencies = [];
    this.#firstAt = 0;
  }

  get received(): Received {
    const latencies = this.#latencies;
    return {
      messages: this.#received.size,
      repeats: [...this.#received.values()].filter((count) => count > 1).length,
      p50Ms: percentile(latencies, 50),
      p95Ms: percentile(latencies, 95),
      p99Ms: percentile(latencies, 99),
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
    };
  }
}

const hook = () =>
  new Door((_, body, response, door) => {
    door.took(body.toString());
    response.end();
  });

let queuePort = 0;
const queue = new Door(async (incoming, body, response, door) => {
  const { status, text } = await forward(incoming.url!, incoming.headers, body);
  if (String(incoming.headers['x-amz-target']).endsWith('SendMessageBatch')) {
    const entries = new Map<string, string>(
      JSON.parse(body.toString()).Entries.map((entry: { Id: string; MessageBody: string }) => [
        entry.Id,
        entry.MessageBody,
      ]),
    );
    for (const { Id } of JSON.parse(text).Successful ?? []) door.took(entries.get(Id)!);
  }
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(text);
});

async function forward(path: string, headers: IncomingMessage['headers'], body: Buffer | string) {
  const passing = request({ host: '127.0.0.1', port: queuePort, path, method: 'POST', headers });
  passing.end(body);
  const [answer] = (await once(passing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode!, text: Buffer.concat(await answer.toArray()).toString() };
}

async function makeQueue(name: string): Promise<void> {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.CreateQueue' };
  const authorization = 'AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/sqs/aws4_request';
  const { status, text } = await forward('/', { ...headers, authorization }, JSON.stringify({ QueueName: name }));
  if (status !== 200) throw new Error(text);
}

const { buildApp } = await import('fauxqs');
const app = buildApp({ logger: false });
await app.listen({ host: '127.0.0.1', port: 0 });
queuePort = (app.server.address() as AddressInfo).port;

const doors: Record<string, Door> = { hook: hook(), other: hook(), queue };
for (const door of Object.values(doors)) await door.open();
process.send!(Object.fromEntries(Object.entries(doors).map(([name, { port }]) => [name, port])));

process.on('message', async (order: Order) => {
  if (order.do === 'makeQueue') await makeQueue(order.name);
  else if (order.do === 'open') await doors[order.door]!.open();
  else if (order.do === 'close') await doors[order.door]!.close();
  else if (order.do === 'reset') doors[order.door]!.reset();
  process.send!(order.do === 'read' ? doors[order.door]!.received : {});
});
process.on('disconnect', () => process.exit());
