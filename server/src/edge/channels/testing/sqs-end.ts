import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';

/** A local queue server behind a proxy that can alter requests and responses. */

export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'the-secret-of-the-operator' };

export interface Passing {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly response: ServerResponse;
  /** Forwards the request to the queue and returns its response. */
  pass(): Promise<{ readonly status: number; readonly text: string }>;
}

export interface SqsEnd {
  /** The address of the proxy, for the endpoint setting. */
  readonly endpoint: string;
  /** Requests that reached the proxy. */
  readonly asked: { readonly headers: IncomingMessage['headers']; readonly body: Record<string, unknown> }[];
  /** Handles requests at the proxy; undefined forwards all. */
  gate(how: ((passing: Passing) => unknown) | undefined): void;
  makeQueue(name: string, region?: string): Promise<string>;
  /** Removes and returns all messages of a queue. */
  take(name: string): Promise<Message[]>;
}

export async function sqsEnd(t: { after(end: () => Promise<void>): void }): Promise<SqsEnd> {
  const app = buildApp({ logger: false });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const asked: SqsEnd['asked'] = [];
  let gate: ((passing: Passing) => unknown) | undefined;
  const server = createServer(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray());
    asked.push({ headers: incoming.headers, body: JSON.parse(body.toString()) });
    const pass = () => forward(port, incoming, body);
    if (gate) return gate({ request: incoming, body, response, pass });
    const { status, text } = await pass();
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = clientAt(`http://127.0.0.1:${port}`);
  t.after(async () => {
    client.destroy();
    server.closeAllConnections();
    server.close();
    app.server.closeAllConnections();
    await app.close();
  });
  const urls = new Map<string, string>();
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    gate(how) {
      gate = how;
    },
    async makeQueue(name, region = 'us-east-1') {
      const Attributes = name.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
      const maker = clientAt(`http://127.0.0.1:${port}`, region);
      const { QueueUrl } = await maker.send(new CreateQueueCommand({ QueueName: name, Attributes }));
      maker.destroy();
      urls.set(name, QueueUrl!);
      return `arn:aws:sqs:${region}:000000000000:${name}`;
    },
    async take(name) {
      const QueueUrl = urls.get(name)!;
      const all: Message[] = [];
      for (;;) {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
        );
        if (Messages.length === 0) return all;
        for (const { ReceiptHandle } of Messages)
          await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        all.push(...Messages);
      }
    },
  };
}

const clientAt = (endpoint: string, region = 'us-east-1') =>
  new SQSClient({ endpoint, region, credentials: CREDENTIALS, useQueueUrlAsEndpoint: false });

async function forward(port: number, { headers, url }: IncomingMessage, body: Buffer) {
  const passing = request({ host: '127.0.0.1', port, path: url, method: 'POST', headers });
  passing.end(body);
  const [answer] = (await once(passing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode!, text: Buffer.concat(await answer.toArray()).toString() };
}

/** An error response of the service. */
export const wrong = (status: number, code: string, message = 'No.', headers = {}) => {
  return ({ response }: Passing) =>
    response
      .writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers })
      .end(JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message }));
};
