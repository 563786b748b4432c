import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type Behaviour, SLOW_MS } from './channel-suite.ts';

/** A local receiver of webhooks or push messages. */

export interface Request {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface HttpEnd {
  readonly address: string;
  /** Requests that were answered with a success. */
  readonly taken: Request[];
  /** All requests. */
  readonly asked: Request[];
  /** Number of connections. */
  connections(): number;
  behave(how: Behaviour): Promise<void>;
  /** Responds with this function, instead of by behaviour. */
  answer(how: ((response: ServerResponse, request: Request) => void) | undefined): void;
  endConnections(): void;
}

export async function httpEnd(t: TestContext): Promise<HttpEnd> {
  const taken: Request[] = [];
  const asked: Request[] = [];
  let connections = 0;
  let behaviour: Behaviour = 'well';
  let answer: ((response: ServerResponse, request: Request) => void) | undefined;
  const server: Server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const one = { path: request.url!, headers: request.headers, body };
    asked.push(one);
    if (answer) return answer(response, one);
    if (behaviour === 'silent') return;
    if (behaviour === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    if (behaviour === 'refusing') return response.writeHead(422).end('this one\r\n<b>is</b> not wanted\u0007');
    if (behaviour === 'down') return response.writeHead(503).end('closed');
    taken.push(one);
    response.writeHead(201).end();
  });
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    asked,
    connections: () => connections,
    async behave(how) {
      behaviour = how;
    },
    answer(how) {
      answer = how;
    },
    endConnections: () => server.closeAllConnections(),
  };
}
