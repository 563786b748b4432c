import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import type { Tables } from '../domain/schema/tables.ts';
import { StoreTrouble } from '../platform/storage/trouble.ts';
import { onEitherEngine } from '../testing/databases.ts';
import { eventually } from '../testing/eventually.ts';
import { makeUser } from '../testing/people.ts';
import { repeat, runHourlyTasks } from './tasks.ts';

const NO_FOLLOWERS = { began: [], ended: [] };
const KEPT = { positions: 0, readings: 0, trips: 0, notifications: 0, checkpoints: 0, thinAfter: 0, windowMs: 1 };

onEitherEngine<Tables>('the hourly tasks', { migrations: MIGRATIONS }, (open) => {
  test('forgets more rows than one slice, and a step that fails does not stop the others', async () => {
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
    await runHourlyTasks(store, { auditDays: 1, quarantineDays: 1, kept: KEPT }, NO_FOLLOWERS, log as never);
    assert.deepEqual(said, ['The hourly cleanup of tokens failed', 'The hourly cleanup of quarantine failed']);
    const left = await store.query.selectFrom('accountMails').select('sentAt').execute();
    assert.deepEqual(
      left.map(({ sentAt }) => sentAt),
      [kept.sentAt],
    );
  });
});

test('work that is repeated while the store is gone does not fill the log, and goes on', async () => {
  const said: string[] = [];
  let turns = 0;
  const log = { error: (_: unknown, sentence: string) => void said.push(sentence) } as never;
  const work = repeat(1, log, 'work', async () => {
    turns++;
    throw new StoreTrouble('unavailable', new Error('gone'));
  });
  await eventually('many turns', () => turns > 20);
  await work.stop();
  assert.deepEqual(said, ['work failed']);
});
