import assert from 'node:assert/strict';
import type { Operation } from '@trackway/contract/operation.ts';
import { BASES, OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import type { Answer } from './answer.ts';
import { mismatch } from './json-schema.ts';

/** Checks the answers of all tests against the contract. */

interface Route {
  readonly name: OperationName;
  readonly operation: Operation;
  readonly method: string;
  readonly pattern: RegExp;
}

const ROUTES: Route[] = (Object.keys(OPERATIONS) as OperationName[])
  .flatMap((name) => {
    const operation: Operation = OPERATIONS[name];
    return operation.versions.map((version) => {
      const path = operation.path.replaceAll(/\{\w+\}/g, '[^/]+');
      return { name, operation, method: operation.method, pattern: new RegExp(`^${BASES[version]}${path}/?$`) };
    });
  })
  // /users/login before /users/{id}.
  .sort((one, other) => one.operation.path.split('{').length - other.operation.path.split('{').length);

export function operationAt(method: string, path: string): Route | undefined {
  const plain = path.split('?', 1)[0]!;
  const wanted = method === 'PATCH' ? 'PUT' : method;
  return ROUTES.find((route) => route.method === wanted && route.pattern.test(plain));
}

/** Whether the caller asked an operation to omit or add fields. */
function looseness(path: string): { partial: boolean; extra: boolean } {
  const query = decodeURIComponent(/\?(.*)/s.exec(path)?.[1]?.replaceAll(/%(?![0-9a-f]{2})/gi, '') ?? '');
  return { partial: /\bfields\b/.test(query), extra: /\b_?include\b/.test(query) };
}

export function checkAnswer(method: string, path: string, answer: Answer, what: string): void {
  const route = operationAt(method, path);
  if (route === undefined) return;
  if (route.operation.answer === undefined) {
    assert.equal(answer.status, 204, what);
    assert.equal(answer.text, '', what);
    return;
  }
  assert.ok(successesOf(route.operation).includes(answer.status), what);
  if (route.operation.media !== undefined) return;
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', what);
  const wrong = mismatch(route.operation.answer, answer.body, looseness(path));
  assert.equal(wrong, undefined, `${route.name} does not answer as the contract says: ${wrong}\n${what}`);
}

const successesOf = ({ status }: Operation): readonly number[] => (status === 201 ? [201] : (status ?? [200]));

/**
 * The error of version 1 is `{error: {statusCode, name, message, code?, details?}}`, that of version 2 `{code,
 * message}`, with the code of version 1 as `reason` where clients act on it.
 */
export function checkError(path: string, answer: Answer, what: string): void {
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/, what);
  if (/^\/v2\//i.test(path)) {
    assert.notEqual(answer.status, 422, what);
    if (answer.status === 429) {
      assert.equal(typeof answer.body, 'string', what);
      return;
    }
    const { reason, ...published } = answer.body;
    assert.deepEqual(Object.keys(published), ['code', 'message'], what);
    assert.ok(
      reason === undefined ||
        /^(FRESH_SIGN_IN_REQUIRED|SECOND_FACTOR_REQUIRED|OUT_OF_SCOPE|IDEMPOTENCY_KEY_(REUSED|IN_USE))$/.test(reason),
      what,
    );
    assert.equal(answer.body.code, answer.status, what);
    assert.equal(typeof answer.body.message, 'string', what);
    return;
  }
  assert.deepEqual(Object.keys(answer.body), ['error'], what);
  const { statusCode, name, message, code, details, requestId, ...others } = answer.body.error;
  assert.equal(requestId, answer.status >= 500 ? answer.headers['x-request-id'] : undefined, what);
  assert.equal(statusCode, answer.status, what);
  assert.ok(typeof name === 'string' && name !== '', what);
  assert.ok(typeof message === 'string' && message !== '', what);
  assert.ok(code === undefined || /^[A-Z_]+$/.test(code), what);
  assert.deepEqual(others, {}, what);
  if (answer.status !== 422 || code === 'IDEMPOTENCY_KEY_REUSED') return;
  assert.equal(name, 'ValidationError', what);
  assert.deepEqual(Object.keys(details), ['context', 'codes', 'messages'], what);
  assert.deepEqual(Object.keys(details.codes), Object.keys(details.messages), what);
}
