import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isoTime } from './times.ts';

test('every instant reads as the language itself writes it', () => {
  const instant = fc.integer({
    min: Date.parse('0000-01-01T00:00:00.000Z'),
    max: Date.parse('9999-12-31T23:59:59.999Z'),
  });
  fc.assert(fc.property(instant, (at) => assert.equal(isoTime(at), new Date(at).toISOString())));
});
