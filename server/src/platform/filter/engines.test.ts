import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { onBothEngines } from '../../testing/databases.ts';
import type { Database } from '../storage/database.ts';
import type { StoreKind } from '../storage/dialect.ts';
import { compileCount, compileList } from './compile.ts';
import { type Filter, parseFilter } from './parse.ts';
import { filters } from './testing/filters.ts';
import { base, fields, migrations, now, rowOf, type Thing, things } from './testing/rows.ts';

interface Tables {
  things: Record<string, string | number | null>;
}

/** The answers of each engine to the same queries; the second engine's tests compare theirs with the first's. */
const answers = new Map<StoreKind, string[]>();
const rounds = Number(process.env.FILTER_ROUNDS ?? 40);
const filtersPerRound = 40;
const seed = Number(process.env.FILTER_SEED ?? 20240301);

/** The same rows and filters for both engines. */
const questions: { things: Thing[]; filters: { text: string; filter: Filter }[] }[] = fc
  .sample(fc.tuple(things, fc.array(filters, { minLength: filtersPerRound, maxLength: filtersPerRound })), {
    numRuns: rounds,
    seed,
  })
  .map(([things, filters]) => ({
    things,
    filters: filters.flatMap((filter) => {
      const text = JSON.stringify(filter);
      try {
        return [{ text, filter: parseFilter([['filter', text]], fields) }];
      } catch (error) {
        // A generated clause may be refused (`like` on a number inside JSON is not, `gt` with null is), but only with a
        // 400.
        assert.equal((error as { statusCode?: number }).statusCode, 400, text);
        return [];
      }
    }),
  }));

onBothEngines<Tables>('generated filters', { migrations }, (open) => {
  let db: Database<Tables>;
  before(async () => {
    // What is found counts here, not how soon: a busy machine takes longer than a user would wait.
    db = await open({ searchDeadlineMs: 60_000 });
  });

  test('find the same rows in the same order', async () => {
    const found: string[] = [];
    for (const { things, filters } of questions) {
      await sql`DELETE FROM things`.execute(db.query);
      await db.query.insertInto('things').values(things.map(rowOf)).execute();
      for (const { text, filter } of filters) {
        const options = { now };
        const list = compileList(db, 'things', fields, base, filter, options);
        const count = compileCount(db, 'things', base, filter.where);
        const ask = async () => {
          const rows = JSON.parse(await db.search({ ...list, owner: 'test' })) as unknown[];
          const total = await db.search({ ...count, shape: [{ name: 'count', kind: 'integer' }], owner: 'test' });
          return `${text} → ${rows.map((row) => (row as { id: number }).id).join(' ')} of ${total}\n${JSON.stringify(things)}`;
        };
        found.push(
          await ask().catch((error) => assert.fail(`${text}\n${list.sql}\n${JSON.stringify(list.cells)}\n${error}`)),
        );
      }
    }
    answers.set(db.dialect.name, found);
    const first = answers.get('sqlite')!;
    for (const [i, answer] of found.entries()) assert.equal(answer, first[i]);
    const some = found.filter((answer) => !answer.includes('→  of')).length;
    console.log(`${found.length} generated filters on ${db.dialect.name}, ${some} of them found rows (seed ${seed}).`);
    assert.ok(some > found.length / 3, 'the generated filters find too little to compare');
  });
});
