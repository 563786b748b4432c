import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { MIGRATIONS } from './domain/schema/migrations.ts';
import type { Tables } from './domain/schema/tables.ts';
import { keepHouse } from './housekeeping.ts';
import { onBothEngines } from './testing/databases.ts';
import { makeUser } from './testing/people.ts';

const NOBODY = { began: [], ended: [] };
const KEPT = { positions: 0, readings: 0, trips: 0, notifications: 0, checkpoints: 0, thinAfter: 0, windowMs: 1 };

onBothEngines<Tables>('housekeeping', { migrations: MIGRATIONS }, (open) => {
  test('forgets more rows than one slice, and a step that fails keeps nothing back', async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'jane@example.com');
    const mailing = { what: 'share' as const, userId, address: 'joe@example.com', at: 1 };
    const kept = { ...mailing, at: Date.now() };
    await store.query
      .insertInto('mailings')
      .values([...Array.from({ length: 1500 }, () => mailing), kept])
      .execute();
    await sql`DROP TABLE "quarantine"`.execute(store.query);
    await sql`ALTER TABLE "tokens" RENAME TO "elsewhere"`.execute(store.query);
    const said: string[] = [];
    const log = { error: (_: unknown, sentence: string) => said.push(sentence) };
    await keepHouse(store, { auditDays: 1, quarantineDays: 1, kept: KEPT }, NOBODY, log as never);
    assert.deepEqual(said, ['Housekeeping of tokens failed', 'Housekeeping of quarantine failed']);
    const left = await store.query.selectFrom('mailings').select('at').execute();
    assert.deepEqual(
      left.map(({ at }) => at),
      [kept.at],
    );
  });
});
