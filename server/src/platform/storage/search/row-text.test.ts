import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Cell, columnsOf, type Field, type Kind, presentRow, type Row } from '../shape.ts';
import { JsonBytes, rowWriter } from './result.ts';

const orNull = <T extends Cell>(cell: fc.Arbitrary<T>) => fc.option(cell, { nil: null });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

/** As positions have them, where the writer takes a shorter way. */
const decimal = fc.tuple(fc.integer(), fc.integer({ min: 0, max: 8 })).map(([whole, digits]) => whole / 10 ** digits);

/** The cells that a field of each kind may have. */
const CELLS: Readonly<Record<Kind, fc.Arbitrary<readonly Cell[]>>> = {
  integer: fc.tuple(orNull(fc.maxSafeInteger())),
  number: fc.tuple(orNull(fc.oneof(fc.double(), decimal))),
  text: fc.tuple(orNull(fc.string({ unit: 'binary' }))),
  flag: fc.tuple(orNull(fc.constantFrom(0, 1))),
  time: fc.tuple(orNull(fc.integer({ min: 0, max: 4_102_444_800_000 }))),
  json: fc.tuple(orNull(fc.json().map((text) => ` ${text} `))),
  texts: fc.tuple(orNull(fc.array(fc.string()).map((texts) => JSON.stringify(texts, undefined, 1)))),
  place: fc.oneof(fc.tuple(fc.oneof(finite, decimal), finite), fc.constant([null, null])),
};

test('a row is written as JSON exactly as the object that the API shows', () => {
  const kinds = Object.keys(CELLS) as Kind[];
  const rows = fc
    .array(fc.constantFrom(...kinds), { maxLength: 8 })
    .chain((chosen) => fc.tuple(fc.constant(chosen), fc.tuple(...chosen.map((kind) => CELLS[kind]))));
  fc.assert(
    fc.property(rows, ([chosen, cells]) => {
      const shape: Field[] = chosen.map((kind, index) => ({ name: `field${index}`, kind }));
      const list = cells.flat();
      const names = shape.flatMap(columnsOf);
      const row: Row = Object.fromEntries(names.map((name, index) => [name, list[index]!]));
      const json = new JsonBytes();
      rowWriter(shape)(json, list);
      assert.equal(json.toString(), JSON.stringify(presentRow(shape, row)));
    }),
  );
});
