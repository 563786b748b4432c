import fc from 'fast-check';
import type { Migration } from '../../storage/migrations.ts';
import { columnsOf, storeValues, type TableShape } from '../../storage/shape.ts';
import type { FilterFields } from '../fields.ts';

/** A table with a field of every kind, for generated filters. */
export const shape: TableShape = [
  { name: 'id', kind: 'integer' },
  { name: 'rank', kind: 'integer' },
  { name: 'weight', kind: 'number' },
  { name: 'name', kind: 'text' },
  { name: 'open', kind: 'flag' },
  { name: 'seen', kind: 'time' },
  { name: 'extra', kind: 'json' },
  { name: 'tags', kind: 'texts' },
  { name: 'spot', kind: 'place' },
];

export const fields: FilterFields = { shape };

export const migrations: Migration[] = [
  {
    name: 'things',
    up: `CREATE TABLE things (
      "id" {id}, "parent" {integer} NOT NULL, "rank" {integer}, "weight" {number}, "name" {text}, "open" {flag},
      "seen" {time}, "extra" {json}, "tags" {texts}, "spotLat" {number}, "spotLng" {number})`,
  },
];

export const base = { sql: '"parent" = ?', cells: [1] };
export const now = Date.parse('2024-03-01T00:00:00.000Z');

export interface Thing {
  readonly id: number;
  readonly rank?: number;
  readonly weight?: number;
  readonly name?: string;
  readonly open?: boolean;
  readonly seen?: string;
  readonly extra?: unknown;
  readonly tags?: readonly string[];
  readonly spot?: { lat: number; lng: number };
}

/** Values come from small pools, so that a generated filter finds rows. */
export const ranks = fc.integer({ min: -2, max: 6 });
export const weights = fc.constantFrom(-1.5, 0, 0.1, 0.25, 1, 2.5, 1000, 1e21);
export const plainNames = fc.constantFrom(
  '',
  'a',
  'ab',
  'abc',
  'Abc',
  'b',
  'ba',
  'null',
  'home',
  'Home 2',
  '12',
  'true',
);
export const oddNames = fc.constantFrom(
  'É',
  'é',
  'straße',
  'a%b',
  'a_b',
  'a\\b',
  'a*b',
  '[a]',
  'x?y',
  'a\nb',
  '😀',
  'ﬀ',
  '\u{10000}',
);
export const colours = fc.constantFrom('red', 'Red', 'blue', '5', '');
export const instants = fc.integer({ min: 0, max: 9 }).map((day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString());
export const places = fc.record({
  lat: fc.constantFrom(-89.5, -10, 0, 0.5, 52, 52.001),
  lng: fc.constantFrom(-179.5, -4, 0, 4, 4.001, 179.75),
});
export const innerValues = fc.oneof(
  fc.integer({ min: -3, max: 5 }),
  weights,
  colours,
  fc.boolean(),
  fc.constant(null),
  fc.record({ a: fc.integer({ min: 0, max: 2 }) }),
);
const extras = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      { colour: innerValues, n: innerValues, in: fc.record({ n: innerValues }) },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: innerValues },
  { weight: 1, arbitrary: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 2 }) },
);

function thingsOf(names: fc.Arbitrary<string>, extra: fc.Arbitrary<unknown>): fc.Arbitrary<Thing[]> {
  const thing = fc.record(
    {
      rank: ranks,
      weight: weights,
      name: names,
      open: fc.boolean(),
      seen: instants,
      extra,
      tags: fc.array(names, { maxLength: 3 }),
      spot: places,
    },
    { requiredKeys: [] },
  );
  return fc
    .array(thing, { minLength: 8, maxLength: 16 })
    .map((things) => things.map((one, i) => ({ id: i + 1, ...one })));
}

export const names = fc.oneof({ weight: 3, arbitrary: plainNames }, { weight: 1, arbitrary: oddNames });
export const things = thingsOf(names, extras);

/** Things whose JSON has one type at each path and no null, to leave out JavaScript's comparisons across types. */
export const typedThings = thingsOf(
  plainNames,
  fc.record({ colour: colours, n: weights, in: fc.record({ n: ranks }, { requiredKeys: [] }) }, { requiredKeys: [] }),
);

/** Returns the row of a thing, with the columns that it leaves unset. */
export function rowOf(thing: Thing) {
  const unset = Object.fromEntries(shape.flatMap(columnsOf).map((column) => [column, null]));
  return { ...unset, parent: 1, ...storeValues(shape, thing as unknown as Record<string, unknown>) };
}
