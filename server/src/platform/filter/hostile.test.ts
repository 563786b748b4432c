import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { onBothEngines } from '../../testing/databases.ts';
import type { Database } from '../storage/database.ts';
import { compileCount, compileList } from './compile.ts';
import { parseFilter, parseWhere, type Query } from './parse.ts';
import { base, fields, migrations, now, rowOf } from './testing/rows.ts';

const names = fc.constantFrom(
  ...[
    'id',
    'rank',
    'weight',
    'name',
    'open',
    'seen',
    'extra',
    'extra.a',
    'extra.a.b',
    'extra.é',
    'tags',
    'spot',
    'spot.lat',
  ],
  ...[
    'and',
    'or',
    'nor',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'id"',
    "id'",
    'extra.\0',
    'extra.\ud800',
    '',
    '.',
  ],
  ...['extra.$', 'extra.*', 'extra.[0]', 'extra.#', 'extra.a b', "extra.'"],
);
const operators = fc.constantFrom(
  ...[
    'eq',
    'neq',
    'gt',
    'gte',
    'lt',
    'lte',
    'between',
    'inq',
    'nin',
    'like',
    'nlike',
    'ilike',
    'nilike',
    'regexp',
    'near',
    'exists',
  ],
  ...['maxDistance', 'unit', '__proto__', 'constructor', '0', '$where'],
);
const scalars = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    '',
    'true',
    '5',
    '1e400',
    'NaN',
    '2024-01-01',
    '%',
    '\\',
    '[',
    '(',
    'a\0b',
    '\ud800',
    '1,2',
    '--',
    "'",
  ),
  fc.constantFrom<unknown>(0, -0, 5, 0.1, 1e300, -1e300, 2 ** 53, 2 ** 63, Number.MIN_VALUE, Number.MAX_VALUE),
  fc.string({ maxLength: 6, unit: 'binary' }),
);
const filters = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    { weight: 3, arbitrary: scalars },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 3, arbitrary: tie('object') },
  ),
  object: fc
    .array(fc.tuple(fc.oneof({ weight: 2, arbitrary: names }, { weight: 3, arbitrary: operators }), tie('value')), {
      maxLength: 3,
    })
    // Written as text, so that `__proto__` becomes a key as it does when JSON is parsed.
    .map((entries) =>
      JSON.parse(`{${entries.map(([key, one]) => `${JSON.stringify(key)}:${JSON.stringify(one)}`).join(',')}}`),
    ),
}));
const wheres = fc
  .array(fc.tuple(names, filters.value), { minLength: 1, maxLength: 3 })
  .map((entries) => `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${JSON.stringify(one)}`).join(',')}}`);
const brackets = fc
  .array(
    fc.tuple(
      fc.array(fc.oneof(names, operators, fc.constantFrom('where', 'order', 'limit', '0', '1', '')), {
        minLength: 1,
        maxLength: 5,
      }),
      scalars,
    ),
    { maxLength: 4 },
  )
  .map(
    (pairs): Query =>
      pairs.map(([path, value]) => [`filter[where]${path.map((key) => `[${key}]`).join('')}`, String(value)]),
  );

interface Tables {
  things: Record<string, string | number | null>;
}

/** Returns undefined if the work was refused with a message; any other error is a bug. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    assert.equal((error as { statusCode?: number }).statusCode, 400, String((error as Error).stack));
    assert.ok((error as Error).message.length < 500);
    return undefined;
  }
}

onBothEngines<Tables>('filters that mean no good', { migrations }, (open) => {
  let db: Database<Tables>;
  before(async () => {
    db = await open();
    const thing = { rank: 1, weight: 0.1, name: 'a', open: true, seen: '2024-01-01T00:00:00.000Z', tags: ['a'] };
    const extras = [{ a: { b: 1 } }, { a: 'x', é: null }, [1, 'a'], 5, 'a', true];
    const things = extras.map((extra, i) => ({ ...thing, id: i + 1, extra, spot: { lat: 1, lng: 2 } }));
    await db.query
      .insertInto('things')
      .values([...things, { id: 50 }].map(rowOf))
      .execute();
  });

  async function answered(query: Query): Promise<boolean> {
    const options = { now };
    const list = unlessRefused(() => compileList(db, 'things', fields, base, parseFilter(query, fields), options));
    if (!list) return false;
    const count = compileCount(db, 'things', base, parseWhere(query, fields));
    try {
      await db.search({ ...list, owner: 'test' });
      await db.search({ ...count, shape: [{ name: 'count', kind: 'integer' }], owner: 'test' });
    } catch (error) {
      assert.fail(`${JSON.stringify(query)}\n${list.sql}\n${JSON.stringify(list.cells)}\n${error}`);
    }
    return true;
  }

  describe('are answered or refused, and nothing fails', () => {
    test('as JSON', async () => {
      let answers = 0;
      for (const where of fc.sample(wheres, { numRuns: 1500, seed: 20240304 })) {
        if (await answered([['filter', `{"where":${where}}`]])) answers++;
      }
      assert.ok(answers > 300, `only ${answers} were answered`);
    });
    test('in brackets', async () => {
      let answers = 0;
      for (const query of fc.sample(brackets, { numRuns: 1500, seed: 20240305 })) if (await answered(query)) answers++;
      assert.ok(answers > 300, `only ${answers} were answered`);
    });
  });
});
