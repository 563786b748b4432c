import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Cell } from '../storage/shape.ts';
import { type PackedColumn, packRows, unpackRows } from './packed-rows.ts';

const COLUMNS: readonly PackedColumn[] = [
  { name: 'at', kind: 'number' },
  { name: 'later', kind: 'number', against: 'at' },
  { name: 'degrees', kind: 'number', decimals: 7 },
  { name: 'whole', kind: 'number' },
  { name: 'text', kind: 'text' },
  { name: 'type', kind: 'text' },
  { name: 'value', kind: 'text', kindIn: 'type' },
];

type Cells = Record<string, Cell>;

function through(rows: readonly Cells[], columns = COLUMNS, wanted?: ReadonlySet<string>): Cells[] {
  const data = packRows(COLUMNS, rows.length, (name) => rows.map((row) => row[name]!));
  const { count, cellsOf } = unpackRows(columns, data, wanted);
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(columns.map(({ name }) => [name, cellsOf(name)[index]!])),
  );
}

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const decimal = fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }).map((whole) => whole / 1e7);
const odd = fc.constantFrom(-0, 0, 0.1 + 0.2, 5e-324, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER, -(2 ** 53), 2 ** 48);
const whole = fc.oneof(fc.integer(), fc.maxSafeInteger());
const cells = fc.record({
  at: fc.oneof(fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }), whole),
  later: fc.option(fc.oneof(fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }), whole), { freq: 5 }),
  degrees: fc.option(fc.oneof(decimal, finite, odd)),
  whole: fc.option(fc.oneof(whole, odd)),
  text: fc.option(fc.oneof(fc.constantFrom('gps', ''), fc.string({ unit: 'binary' }))),
  type: fc.oneof(fc.constantFrom('temp', 'button', ''), fc.string({ unit: 'binary' })),
  value: fc.option(
    fc.oneof(
      fc.constantFrom('NaN', 'Infinity', '-0', '1.0', '1e3', '', ' 1', '"a"', 'null', 'true', '{"a": 1}'),
      fc.json(),
      fc.oneof(finite, odd, decimal).map((number) => JSON.stringify(number)),
    ),
    { freq: 5 },
  ),
});

test('what is unpacked equals what was packed, whatever the numbers and texts are', () => {
  fc.assert(
    fc.property(fc.array(cells, { maxLength: 60 }), (rows) => {
      assert.deepStrictEqual(
        through(rows),
        rows.map((row) => ({ ...row })),
      );
    }),
    { numRuns: 500 },
  );
});

const NOTHING = { type: '', value: null };

test('mostly doubles, or mostly decimals with a few doubles, come back the same', () => {
  const row = (index: number, degrees: number) => ({
    at: index,
    later: null,
    degrees,
    whole: null,
    text: null,
    ...NOTHING,
  });
  const doubles = Array.from({ length: 1000 }, (_, index) => row(index, Math.sin(index)));
  assert.deepStrictEqual(through(doubles), doubles);
  const few = Array.from({ length: 1000 }, (_, index) => row(index, index % 100 === 7 ? Math.sin(index) : index / 10));
  assert.deepStrictEqual(through(few), few);
});

test('single columns can be unpacked, and one that was added later is null', () => {
  const rows = [
    { at: 5, later: 9, degrees: 1.5, whole: 3, text: 'a', ...NOTHING },
    { at: 6, later: 8, degrees: null, whole: 4, text: null, ...NOTHING },
  ];
  const more = [...COLUMNS, { name: 'new', kind: 'number' } as const];
  assert.deepEqual(
    through(rows, more).map((row) => row.new),
    [null, null],
  );
  const only = through(rows, COLUMNS, new Set(['later']));
  assert.deepEqual(
    only.map(({ later, text }) => ({ later, text })),
    [
      { later: 9, text: null },
      { later: 8, text: null },
    ],
  );
});

test('damage is an error, not other rows', () => {
  const rows = [{ at: 1, later: 2, degrees: 3, whole: 4, text: 'a', ...NOTHING }];
  const data = packRows(COLUMNS, 1, (name) => rows.map((row) => row[name as 'at']));
  assert.throws(() => unpackRows(COLUMNS, data.subarray(0, data.length - 3), undefined));
  assert.throws(() => unpackRows(COLUMNS, Uint8Array.of(9, ...data.subarray(1)), undefined), /no packed form 9/);
});
