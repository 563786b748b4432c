import assert from 'node:assert/strict';
import test from 'node:test';
import { numberPlaceholders } from './run-sql.ts';

test('placeholders are numbered', () => {
  assert.equal(numberPlaceholders('a = ? AND b = ?'), 'a = $1 AND b = $2');
});

test('a question mark in a string, a name or a comment means itself', () => {
  const sql = `a = '?''?' AND "b?""?" = ? -- why?\n AND c /* ? */ = ?`;
  assert.equal(numberPlaceholders(sql), `a = '?''?' AND "b?""?" = $1 -- why?\n AND c /* ? */ = $2`);
});

test('SQL with numbered placeholders stays as it is', () => {
  const sql = `a = $1 AND b ? 'x' AND c = $2`;
  assert.equal(numberPlaceholders(sql), sql);
  assert.equal(numberPlaceholders(`a = '$1' AND b = ?`), `a = '$1' AND b = $1`);
});
