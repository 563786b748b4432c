import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { onBothEngines } from '../../testing/databases.ts';
import type { Database } from '../storage/database.ts';
import { compileList } from './compile.ts';
import { parseFilter } from './parse.ts';
import { parseRegexp } from './regexp.ts';
import { postgresText, re2Text } from './regexp-text.ts';
import { base, fields, migrations, now, rowOf } from './testing/rows.ts';

describe('a regular expression', () => {
  const texts = (pattern: string) => {
    const regexp = parseRegexp(pattern, 'x')!;
    return [re2Text(regexp), postgresText(regexp)];
  };
  test('is written for each engine', () => {
    assert.deepEqual(texts('^a.b$'), ['^a[^\\n]b$', '^a[^\\n]b$']);
    assert.deepEqual(texts('\\bab\\B'), ['\\bab\\B', '\\yab\\Y']);
    assert.deepEqual(texts('[\\s\\S]'), ['[\\s\\S]', '.']);
    assert.deepEqual(texts('/aB1/i')[0], '[Aa][Bb]1');
    assert.deepEqual(texts('(a|b)+?c{2,3}')[0], '(?:a|b)+c{2,3}');
    assert.deepEqual(texts('a{b')[0], 'a\\{b');
    assert.deepEqual(texts('/a/')[0], 'a');
    assert.deepEqual(texts('/a')[0], '\\/a');
  });
  const refusals: [string, RegExp][] = [
    ['(?=a)', /look-around/],
    ['(?!a)', /look-around/],
    ['(?<=a)b', /look-around/],
    ['(?<!a)b', /look-around/],
    ['(a)\\1', /back-references/],
    ['\\k<a>', /back-references/],
    ['(?<name>a)', /only \(\?:/],
    ['(?i)a', /only \(\?:/],
    ['a**', /quantifier after a quantifier/],
    ['a++', /quantifier after a quantifier/],
    ['*a', /nothing before its \*/],
    ['^*', /no width/],
    ['(a', /without its \)/],
    ['a)', /without its \(/],
    ['[a', /without its \]/],
    ['[]', /empty class/],
    ['[^\\s\\S]', /matches nothing/],
    ['[b-a]', /reverse order/],
    ['[[:alpha:]]', /named classes/],
    ['\\p{L}', /\\p is not supported/],
    ['a\\', /ends in a backslash/],
    ['a{256}', /at most 255 times/],
    ['a{3,2}', /minimum above its maximum/],
    ['(a{100}){100}', /repeats too much/],
    ['(?:^.|.$|\\b){100}', /repeats too much/],
    [`${'('.repeat(30)}${')'.repeat(30)}`, /too deep/],
    ['/a/x', /only flag/],
    ['\\u0000', /not a valid character/],
    ['/[\\u0100-\\uffff]/i', /more than 1000 characters/],
  ];
  for (const [pattern, message] of refusals) {
    test(`${pattern} is refused`, () => {
      assert.throws(
        () => parseRegexp(pattern, 'where.x.regexp'),
        (error: Error & { statusCode?: number }) => {
          assert.equal(error.statusCode, 400);
          assert.match(error.message, message);
          return error.message.startsWith('where.x.regexp: ');
        },
      );
    });
  }
});

const atoms = fc.constantFrom(
  ...[
    'a',
    'b',
    'A',
    'é',
    '.',
    '\\d',
    '\\w',
    '\\s',
    '\\D',
    '\\W',
    '\\S',
    '[a-c]',
    '[^a]',
    '[^\\d]',
    '[\\w-]',
    '[a\\]]',
    '\\.',
  ],
  ...[
    '^',
    '$',
    '\\b',
    '\\B',
    '1',
    ' ',
    '_',
    '-',
    '\n',
    '{',
    '}',
    ']',
    '/',
    '(?:)',
    '()',
    '[é-ü]',
    '\\t',
    '"',
    "'",
    '[.]',
    '[ -~]',
  ],
);
const quantifiers = fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0}', '{0,2}', '*?', '+?', '{1,}?');
const patterns = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 4, arbitrary: atoms },
    { weight: 3, arbitrary: fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b) },
    { weight: 1, arbitrary: fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(${a}|${b})`) },
    { weight: 2, arbitrary: fc.tuple(tie('pattern'), quantifiers).map(([a, count]) => `(?:${a})${count}`) },
  ),
})).pattern;

const names = [
  '',
  'a',
  'b',
  'ab',
  'aab',
  'A',
  'é',
  'É',
  '1',
  'a1',
  'a b',
  '_',
  '-',
  'a-b',
  '\n',
  'a\nb',
  'a.b',
  '{',
  '}',
  ']',
  '/',
  'ü',
  "it's",
  '"q"',
  ' \t',
];

interface Tables {
  things: Record<string, string | number | null>;
}

onBothEngines<Tables>('generated regular expressions', { migrations }, (open) => {
  let db: Database<Tables>;
  before(async () => {
    db = await open();
    await db.query
      .insertInto('things')
      .values(names.map((name, i) => rowOf({ id: i + 1, name })))
      .execute();
  });

  test('match what JavaScript matches', async () => {
    for (const [pattern, ignoreCase] of fc.sample(fc.tuple(patterns, fc.boolean()), { numRuns: 300, seed: 20240303 })) {
      const text = ignoreCase ? `/${pattern}/i` : pattern;
      if (text.length > 100 || (!ignoreCase && pattern.startsWith('/'))) continue;
      const expression = new RegExp(pattern, ignoreCase ? 'i' : '');
      const filter = parseFilter(
        [['filter', JSON.stringify({ where: { name: { regexp: text } }, fields: ['id'] })]],
        fields,
      );
      const list = compileList(db, 'things', fields, base, filter, { now });
      const found = JSON.parse(await db.search({ ...list, owner: 'test' })) as { id: number }[];
      const wanted = names.filter((name) => expression.test(name));
      assert.deepEqual(
        found.map(({ id }) => names[id - 1]),
        wanted,
        JSON.stringify(text),
      );
    }
  });
});
