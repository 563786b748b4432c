import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import type { Tables } from '../domain/schema/tables.ts';
import { onEitherEngine } from '../testing/databases.ts';
import { makeUser } from '../testing/people.ts';
import { runHourlyTasks } from './housekeeping.ts';

const NOBODY = { began: [], ended: [] };
const KEPT = { positions: 0, readings: 0, trips: 0, notifications: 0, checkpoints: 0, thinAfter: 0, windowMs: 1 };

onEitherEngine<Tables>('housekeeping', { migrations: MIGRATIONS }, (open) => {
  test('forgets more rows than one slice, and a step that fails keeps nothing back', async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'jane@example.com');
    const mailing = { kind: 'share' as const, userId, address: 'joe@example.com', sentAt: 1 };
    const kept = { ...mailing, sentAt: Date.now() };
    await store.query
      .insertInto('accountMails')
      .values([...Array.from({ length: 1500 }, () => mailing), kept])
      .execute();
    await sql`DROP TABLE "quarantine"`.execute(store.query);
    await sql`ALTER TABLE "tokens" RENAME TO "elsewhere"`.execute(store.query);
    const said: string[] = [];
    const log = { error: (_: unknown, sentence: string) => said.push(sentence) };
    await runHourlyTasks(store, { auditDays: 1, quarantineDays: 1, kept: KEPT }, NOBODY, log as never);
    assert.deepEqual(said, ['The hourly cleanup of tokens failed', 'The hourly cleanup of quarantine failed']);
    const left = await store.query.selectFrom('accountMails').select('sentAt').execute();
    assert.deepEqual(
      left.map(({ sentAt }) => sentAt),
      [kept.sentAt],
    );
  });
});
