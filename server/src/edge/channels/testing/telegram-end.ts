import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type Behaviour, SLOW_MS } from './channel-suite.ts';

/** A local server like the Bot API: one bot, and the chats that it may write to. */

export interface TelegramMessage {
  readonly chat_id: number | string;
  readonly text: string;
}

export interface TelegramEnd {
  readonly url: string;
  readonly token: string;
  /** Accepted messages, in order. */
  readonly messages: TelegramMessage[];
  behave(how: Behaviour): Promise<void>;
  /** Responds with this function, instead of like the API. */
  answer(how: ((response: ServerResponse) => void) | undefined): void;
}

export const CHAT = -1001234567890;
export const BLOCKED_CHAT = 4711;
const MAX_TEXT = 4096;

export async function telegramEnd(t: TestContext): Promise<TelegramEnd> {
  const token = '123456:the-token_of-the-bot';
  const messages: TelegramMessage[] = [];
  let behaviour: Behaviour = 'well';
  let answer: ((response: ServerResponse) => void) | undefined;
  const server = createServer(async (request, response) => {
    const sent = Buffer.concat(await request.toArray()).toString();
    const fail = (status: number, description: string, parameters?: object) =>
      reply(response, status, { ok: false, error_code: status, description, ...(parameters && { parameters }) });
    if (answer) return answer(response);
    if (behaviour === 'silent') return;
    if (behaviour === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    if (behaviour === 'down') return response.writeHead(503).end('<html>closed</html>');
    if (request.method !== 'POST' || request.url !== `/bot${token}/sendMessage`) return fail(401, 'Unauthorized');
    const { chat_id, text } = JSON.parse(sent) as TelegramMessage;
    if (behaviour === 'refusing' || chat_id === BLOCKED_CHAT)
      return fail(403, 'Forbidden: bot was blocked by the user');
    if (chat_id !== CHAT && chat_id !== '@fleet') return fail(400, 'Bad Request: chat not found');
    if (text.length > MAX_TEXT) return fail(400, 'Bad Request: message is too long');
    messages.push({ chat_id, text });
    reply(response, 200, { ok: true, result: { message_id: messages.length, chat: { id: chat_id }, text } });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    messages,
    async behave(how) {
      behaviour = how;
    },
    answer(how) {
      answer = how;
    },
  };
}

export const reply = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
