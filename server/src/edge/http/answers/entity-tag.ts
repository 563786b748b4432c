import { hash } from 'node:crypto';
import type { Operation, Version } from '@trackway/contract/operation.ts';
import { OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import type { FastifyRequest } from 'fastify';
import type { Call, Handlers } from '../../../calls.ts';
import { Refusal } from '../../../platform/errors.ts';
import { textOf } from './answer.ts';

/**
 * The state of a thing as its read shows it has a tag, and a change can be made to depend on it: whoever sends the tag in
 * `If-Match` changes nothing that another has changed meanwhile.
 */

const tagOf = (text: string) => `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;

/** Whether an operation reads one thing. */
export const isSingleRead = ({ method, path, changes, paging, media, answer }: Operation) =>
  method === 'GET' &&
  path.includes('{') &&
  !changes &&
  paging === undefined &&
  media === undefined &&
  (answer as { type?: string } | undefined)?.type === 'object';

export const entityTag = tagOf;

/** The operation that reads what another at the same address changes. */
export function readOf({ method, path }: Operation, version: Version): OperationName | undefined {
  if (method !== 'PUT' && method !== 'DELETE') return undefined;
  return (Object.keys(OPERATIONS) as OperationName[]).find((name) => {
    const one: Operation = OPERATIONS[name];
    return one.path === path && one.versions.includes(version) && isSingleRead(one);
  });
}

/** Conditional changes of one address run one after the other. */
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
