import assert from 'node:assert/strict';
import { addressOf } from '@trackway/client/address.ts';
import type { Client } from '@trackway/client/client.ts';
import type { CallOptions } from '@trackway/client/input.ts';
import type { Operation } from '@trackway/contract/operation.ts';
import { OPERATIONS } from '@trackway/contract/operations.ts';
import type { Api } from './api.ts';

type Given = Readonly<Record<string, unknown>>;

/**
 * The operations by name, typed by the contract. A call must succeed, and its answer is held to the contract like every
 * other; what is to be refused is sent by `api`.
 */
export function clientOf(api: Api, token?: string): Client {
  const methods = Object.entries<Operation>(OPERATIONS).map(([name, operation]) => [
    name,
    methodOf(api, token, operation),
  ]);
  return Object.fromEntries(methods) as Client;
}

function methodOf(api: Api, token: string | undefined, operation: Operation) {
  return async (input: Given = {}, { version = operation.versions[0]! }: CallOptions = {}) => {
    const path = addressOf(operation, version, input);
    const body = operation.body ? (input.body ?? {}) : undefined;
    const answer = await api(operation.method, path, { token, body });
    assert.ok(answer.status < 300, `${operation.method} ${path} → ${answer.text}`);
    return answer.body;
  };
}
