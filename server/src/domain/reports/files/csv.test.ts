import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from './csv.ts';

test('commas, quotes and lines are kept, and nothing is absent by accident', () => {
  const rows = [
    ['x, "y"', 1.5],
    ['two\nlines', null],
  ];
  assert.equal(csvOf({ head: ['a', 'b'], rows }), '\u{feff}a,b\r\n"x, ""y""",1.5\r\n"two\nlines",\r\n');
});

test('a name that begins like a formula stays a text, a negative number a number', () => {
  assert.equal(
    csvOf({ head: ['n'], rows: [['=HYPERLINK("x")'], ['@cmd'], [-3]] }),
    '\u{feff}n\r\n"\'=HYPERLINK(""x"")"\r\n\'@cmd\r\n-3\r\n',
  );
});
