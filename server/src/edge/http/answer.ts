import { hash } from 'node:crypto';
import { isKeyed, type Operation } from '@trackway/contract/operation.ts';
import type { OperationName } from '@trackway/contract/operations.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Call,
  type Caller,
  Created,
  type Handlers,
  JsonText,
  type KeptAnswers,
  type KeyedAnswer,
} from '../../calls.ts';
import { badRequest, Refusal } from '../../platform/errors.ts';

/** Responses: their status and text, their entity tags, and their repetition for an `Idempotency-Key`. */

export function statusOf({ status }: Operation, answer: unknown): number {
  if (status === undefined || status === 201) return status ?? 200;
  return answer instanceof Created ? 201 : 200;
}

export function textOf(answer: unknown): string {
  const value = answer instanceof Created ? answer.answer : answer;
  return value instanceof JsonText ? value.text : JSON.stringify(value);
}

/**
 * Each state of an object, as its read operation returns it, has an entity tag. A change with that tag in `If-Match`
 * fails if another caller has changed the object in the meantime.
 */
export const entityTag = (text: string) => `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;

/** Whether the caller already has this response, according to its tag. A tag that a proxy made weak counts as equal. */
export const isKnownTag = ({ headers }: FastifyRequest, tag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((one) => [tag, '*'].includes(one.trim().replace(/^W\//, '')));

/** Conditional changes of one address run one after another. */
const running = new Map<string, Promise<unknown>>();

export async function ifMatching<T>(
  handlers: Handlers,
  read: OperationName,
  call: Call,
  { headers, raw }: FastifyRequest,
  change: () => Promise<T>,
): Promise<T> {
  const wanted = headers['if-match'];
  if (wanted === undefined) return change();
  const address = raw.url!.split('?', 1)[0]!.toLowerCase();
  const turn = (running.get(address) ?? Promise.resolve()).then(async () => {
    const handler = handlers[read] as (call: Call) => Promise<unknown>;
    const tag = entityTag(textOf(await handler({ ...call, query: [], parameters: {}, body: undefined, sent: {} })));
    const isSame = wanted.split(',').some((one) => one.trim() === tag || one.trim() === '*');
    if (!isSame)
      throw new Refusal(412, 'The resource was changed: read it again', {
        name: 'PreconditionFailedError',
        code: 'PRECONDITION_FAILED',
      });
    return change();
  });
  const settled = turn.catch(() => {});
  running.set(address, settled);
  try {
    return await turn;
  } finally {
    if (running.get(address) === settled) running.delete(address);
  }
}

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
