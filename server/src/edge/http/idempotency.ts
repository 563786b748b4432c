import { hash } from 'node:crypto';
import { isKeyed, type Operation } from '@trackway/contract/operation.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, KeptAnswers, KeyedAnswer } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { statusOf, textOf } from './answer.ts';

/** Requests with an `Idempotency-Key`: a repeated request gets the stored response and has no effect. */

const KEY = /^[\x20-\x7e]{1,255}$/;
const fingerprint = (parts: readonly string[]) => hash('sha256', JSON.stringify(parts), 'base64url');

/** The key of a request; undefined if the request has none or the operation does not support keys. */
export function idempotencyKeyOf(operation: Operation, { headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || !isKeyed(operation)) return undefined;
  if (typeof key !== 'string' || !KEY.test(key))
    throw badRequest('Idempotency-Key must have 1 to 255 printable characters');
  return key;
}

export async function answerOnce(
  answers: KeptAnswers,
  key: string,
  operation: Operation,
  { caller, sent, now }: { readonly caller: Caller; readonly sent: object; readonly now: number },
  request: FastifyRequest,
  reply: FastifyReply,
  run: () => Promise<unknown>,
): Promise<FastifyReply | string> {
  const [path = '', ...search] = request.raw.url!.split('?');
  const call = {
    userId: caller.userId,
    request: fingerprint([request.method, path.toLowerCase(), key]),
    body: fingerprint([search.join('?'), JSON.stringify(sent)]),
    now,
  };
  const { status, text, isReplayed } = await answers.once(call, async () => answered(operation, await run()));
  if (isReplayed) reply.header('idempotency-replayed', 'true');
  reply.code(status);
  if (text === null) return reply.send();
  reply.header('content-type', 'application/json; charset=utf-8');
  return text;
}

function answered(operation: Operation, answer: unknown): Omit<KeyedAnswer, 'isReplayed'> {
  if (operation.answer === undefined) return { status: 204, text: null };
  return { status: statusOf(operation, answer), text: textOf(answer) };
}
