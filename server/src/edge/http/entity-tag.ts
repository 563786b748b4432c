import { hash } from 'node:crypto';
import type { OperationName } from '@trackway/contract/operations.ts';
import type { FastifyRequest } from 'fastify';
import type { Call, Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { textOf } from './answer.ts';

/**
 * Each state of an object, as its read operation returns it, has an entity tag. A change with that tag in `If-Match`
 * fails if another caller has changed the object in the meantime.
 */

const tagOf = (text: string) => `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;

export const entityTag = tagOf;

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
    const tag = tagOf(textOf(await handler({ ...call, query: [], parameters: {}, body: undefined, sent: {} })));
    const isSame = wanted.split(',').some((one) => one.trim() === tag || one.trim() === '*');
    if (!isSame)
      throw new Refusal(412, 'It was changed meanwhile: read it again', {
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
