import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accept } from '../accept.ts';
import { openApi } from '../openapi.ts';
import type { Operation, Version } from '../operation.ts';
import { OPERATIONS } from '../operations.ts';
import { acceptQuery } from '../query-values.ts';
import { documentChecker } from '../testing/document-checker.ts';
import { exampleOf } from './examples.ts';

const ALL = Object.entries(OPERATIONS) as [string, Operation][];

for (const version of ['v1', 'v2'] as const) {
  test(`every example of ${version} is valid by the schemas of the document`, () => {
    const wrong = documentChecker(openApi(version));
    for (const [name, operation] of of(version)) {
      const { body, status, answer } = exampleOf(operation);
      assert.equal(wrong.request(name, body), undefined, `${name}: request`);
      assert.equal(wrong.answer(name, status, answer), undefined, `${name}: answer`);
    }
  });
}

const of = (version: Version) => ALL.filter(([, { versions }]) => versions.includes(version));

test('the server takes every example', () => {
  for (const [name, operation] of ALL) {
    const { path, query, body } = exampleOf(operation);
    for (const [parameter, value] of Object.entries(path)) assert.ok(value !== '', `${name}: ${parameter}`);
    if (operation.query) {
      const pairs = Object.entries(query).map(([key, value]) => [key, written(value)] as const);
      assert.deepEqual(acceptQuery(operation.query, pairs).violations, [], name);
    }
    if (operation.body && !Array.isArray(body)) {
      const { noun, mode } = operation.body;
      assert.deepEqual(accept(noun, mode, body as Record<string, unknown>).violations, [], name);
    }
  }
});

const written = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

test('no example is empty where the schema has something to show', () => {
  for (const [name, operation] of ALL) {
    const { body, answer } = exampleOf(operation);
    assert.deepEqual(emptyIn(body, 'body'), [], name);
    assert.deepEqual(emptyIn(answer, 'answer'), [], name);
  }
});

/** These texts are empty where nothing is set. */
const MAY_BE_EMPTY = ['mapStyle', 'mapOverlay', 'openidButton', 'message'];

/** Texts that no row of the table gives a value. */
function emptyIn(value: unknown, place: string): string[] {
  if (value === '') return MAY_BE_EMPTY.some((field) => place.endsWith(`.${field}`)) ? [] : [place];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => emptyIn(inner, `${place}.${key}`));
}
