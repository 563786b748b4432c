import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainCell, readCsv, TableProblem, writeCsv } from './csv.ts';

test('what was written is read', () => {
  const rows = [
    ['name', 'tags'],
    ['Van "3", red', 'a:b;c'],
    ['two\nlines', '=SUM(A1)'],
    ['', '-12.5'],
  ];
  const text = writeCsv(rows);
  assert.ok(text.includes("'=SUM"), 'a formula is text');
  assert.deepEqual(
    readCsv(text).map(({ cells }) => cells.map((cell) => (cell.startsWith("'") ? plainCell(cell) : cell))),
    rows,
  );
});

test('rows know their lines, empty lines are none, and other separators are recognised', () => {
  assert.deepEqual(readCsv('\uFEFFname;imei\r\n\r\n"a\nb";1\r\nc;2'), [
    { line: 1, cells: ['name', 'imei'] },
    { line: 3, cells: ['a\nb', '1'] },
    { line: 5, cells: ['c', '2'] },
  ]);
});

test('a quotation that does not end is refused with its line', () => {
  assert.throws(
    () => readCsv('name\nVan\n"never ends'),
    (problem) => problem instanceof TableProblem && problem.line === 3,
  );
});
