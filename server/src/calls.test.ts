import assert from 'node:assert/strict';
import test from 'node:test';
import { inside } from '@trackway/contract/resources/inside.ts';
import { type Handlers, JsonText, TextStream } from './calls.ts';
import { shapeOf } from './domain/schema/shape.ts';
import { presentRow } from './platform/storage/shape.ts';

/** What the compiler must refuse. A line that it accepts fails the check of types, since the expected error is missing. */

type Inside = Handlers<'listDevicesInside'>['listDevicesInside'];
const one = { deviceId: 1, name: 'Van', since: '2026-06-01T12:00:00.000Z' };

test('a handler answers what the contract says, as a value or as its text', () => {
  const shape = shapeOf(inside);
  const handlers: Inside[] = [
    async () => [one],
    async () => [presentRow(shape, { deviceId: 1, name: null, since: 0 })],
    async () => new JsonText<(typeof one)[]>('[]'),
    // @ts-expect-error: the name of a field is wrong
    async () => [{ deviceId: 1, title: 'Van', since: one.since }],
    // @ts-expect-error: a time is shown as text
    async () => [{ ...one, since: 0 }],
    // @ts-expect-error: it is a list
    async () => one,
    // @ts-expect-error: the text of something else
    async () => new JsonText<{ count: number }>('{"count":1}'),
    // @ts-expect-error: only an operation whose answer is text streams one
    async () => new TextStream('text/csv', 'track.csv', one),
  ];
  assert.equal(handlers.length, 8);
});

test('a presented row has the fields of its noun', () => {
  const shown = presentRow(shapeOf(inside), { deviceId: 1, name: null, since: 0 });
  assert.deepEqual(shown, { deviceId: 1, name: null, since: '1970-01-01T00:00:00.000Z' });
  // @ts-expect-error: there is no such field
  assert.equal(shown.title, undefined);
});
