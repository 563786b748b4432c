/**
 * JSON text of values that hardly any field accepts. They are text, because not all of them can be JavaScript values.
 * The small ones are tried in every field, the large ones in one field of each type.
 */
export const SMALL: readonly string[] = [
  'null',
  'true',
  '-1',
  '1.5',
  '9007199254740992',
  '1e308',
  '1e400',
  '""',
  '"abc"',
  '"1e999"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"__proto__"',
  '"\'; DROP TABLE \\"users\\"; --"',
  '[]',
  '[null]',
  '["a\\u0000b",{}]',
  '{}',
  '{"lat":1e400,"lng":"x"}',
  '{"\\u0000":"\\ud800"}',
  '{"toString":1,"hasOwnProperty":2,"toJSON":4,"length":-1,"then":5}',
];

export const LARGE: readonly string[] = [
  '123456789012345678901234567890',
  `"${'x'.repeat(70_000)}"`,
  `[${'0,'.repeat(10_000)}0]`,
  nested('[', ']', 45_000),
  nested('{"a":', '}', 1_000, '1'),
];

function nested(open: string, close: string, depth: number, inner = ''): string {
  return open.repeat(depth) + inner + close.repeat(depth);
}
