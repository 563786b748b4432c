import assert from 'node:assert/strict';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import type { Answer } from './answer.ts';
import { checkAnswer, checkError } from './contract-check.ts';

export interface Ask {
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly raw?: string | Buffer;
  readonly headers?: OutgoingHttpHeaders;
}

/**
 * Sends any request, valid or not; `clientOf` has the operations by name, with types. Every answer is checked against
 * the contract: a success must match the operation, an error the format of its version, and none may be a 5xx.
 */
export interface Api {
  (method: string, path: string, ask?: Ask): Promise<Answer>;
  readonly address: string;
  close(): void;
}

export function apiOf(address: string): Api {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const api = async (method: string, path: string, ask: Ask = {}) => {
    const answer = await exchange(agent, address, method, path, ask);
    const what = `${method} ${path.slice(0, 200)} → ${answer.status} ${answer.text.slice(0, 500)}`;
    assert.ok(answer.status < 500, `the server failed: ${what}`);
    if (method === 'HEAD') return answer;
    if (answer.status >= 400) checkError(path, answer, what);
    // A secret is null in an answer that is given again.
    else if (answer.headers['idempotency-replayed'] === undefined) checkAnswer(method, path, answer, what);
    return answer;
  };
  return Object.assign(api, { address, close: () => agent.destroy() });
}

function exchange(agent: Agent, address: string, method: string, path: string, ask: Ask): Promise<Answer> {
  const payload = ask.raw ?? (ask.body === undefined ? undefined : JSON.stringify(ask.body));
  const headers: OutgoingHttpHeaders = {
    ...(ask.token !== undefined && { authorization: ask.token }),
    ...(ask.raw === undefined && ask.body !== undefined && { 'content-type': 'application/json' }),
    ...(payload !== undefined && { 'content-length': Buffer.byteLength(payload) }),
    ...ask.headers,
  };
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    // The path is sent unchanged, because invalid encodings are tested too.
    const outgoing = request({ agent, hostname, port, method, path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const isJson = incoming.headers['content-type']?.startsWith('application/json') && text !== '';
        const body = isJson ? JSON.parse(text) : undefined;
        resolve({ status: incoming.statusCode!, headers: incoming.headers, text, body });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
