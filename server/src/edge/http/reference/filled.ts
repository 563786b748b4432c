import { exampleOf } from '@trackway/contract/examples/examples.ts';
import type { Operation } from '@trackway/contract/operation.ts';
import { OPERATIONS } from '@trackway/contract/operations.ts';
import type { Filled } from '../pages/reference/samples.js';

/** What does not end with an answer is none of the contract's operations. */
const STREAMS: Readonly<Record<string, Filled>> = {
  live: { values: { devices: '7,8' } },
  socket: { values: { devices: '7,8' } },
  deviceSocket: { values: { device: '7' } },
};

const operationOf = (name: string): Operation | undefined => (OPERATIONS as Record<string, Operation>)[name];

/** The values of parameters, and the body, of the example of an operation. */
export function filledOf(name: string): Filled {
  const operation = operationOf(name);
  if (operation === undefined) return STREAMS[name] ?? { values: {} };
  const { path, query, body } = exampleOf(operation);
  const { list } = operation.body ?? {};
  // The client knows only the object, not the bare list that is taken for it.
  const sent = Array.isArray(body) && list !== undefined ? { [list]: body } : body;
  return { values: { ...path, ...query }, ...(sent !== undefined && { body: sent }) };
}

export function answerExampleOf(name: string): unknown {
  const operation = operationOf(name);
  return operation && exampleOf(operation).answer;
}
