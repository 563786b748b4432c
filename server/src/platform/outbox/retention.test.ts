import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../domain/schema/migrations.ts';
import type { Store, Tables } from '../../domain/schema/tables.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { makeUser, NOW } from '../../testing/people.ts';
import { PATIENCE_MS, type Posting, post } from './post.ts';
import { expireOld, forgetOldDeliveries } from './retention.ts';

const DAY_MS = 86_400_000;

onBothEngines<Tables>('what is kept of the outbox', { migrations: MIGRATIONS }, (open) => {
  async function setting(to: Partial<Posting> = {}) {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    const posting: Posting = {
      kind: 'http',
      target: 'a',
      ownerId: userId,
      userId,
      deviceId: 1,
      address: null,
      what: 'newLoc',
      content: { text: 'hello', type: 'text/plain' },
      ...to,
    };
    const postAt = (now: number, count: number) => store.transaction((tx) => post(tx, Array(count).fill(posting), now));
    const rows = () => store.query.selectFrom('outbox').select(['id', 'state', 'reason']).orderBy('id').execute();
    return { store, postAt, rows };
  }

  test('what waited three days is dead, however much it is, even where the destination is switched off', async () => {
    const { store, postAt, rows } = await setting();
    await postAt(NOW, 1200);
    const [young] = await postAt(NOW + 1, 1);
    await store.query.updateTable('destinations').set({ state: 'off', lastError: 'answered 410' }).execute();
    assert.equal(await expireOld(store, NOW + PATIENCE_MS - 1), 0);
    assert.equal(await expireOld(store, NOW + PATIENCE_MS), 1200);
    const all = await rows();
    assert.deepEqual(
      all.filter(({ state }) => state === 'queued').map(({ id }) => id),
      [young],
    );
    assert.equal(all[0]!.reason, 'It could not be delivered within three days. Last attempt: answered 410');
  });

  test("at the operator's own servers no user sees what went wrong with others", async () => {
    const { store, postAt, rows } = await setting({ kind: 'email', target: 'smtp', ownerId: null });
    const [tried] = await postAt(NOW, 2);
    await store.query.updateTable('destinations').set({ lastError: 'answered: <b@example.com> is full' }).execute();
    const attemptLog = JSON.stringify([
      { at: new Date(NOW).toISOString(), reason: 'answered: <a@example.com> is full' },
    ]);
    await store.query.updateTable('outbox').set({ attemptLog, attempts: 1 }).where('id', '=', tried!).execute();
    assert.equal(await expireOld(store, NOW + PATIENCE_MS), 2);
    const reason = 'It could not be delivered within three days';
    assert.deepEqual(
      (await rows()).map((row) => row.reason),
      [reason, reason],
    );
  });

  test('the record of what was sent is kept for 7 days, of what was not for 30, and what waits stays', async () => {
    const { store, postAt, rows } = await setting();
    const [sent, dead, waiting] = await postAt(NOW, 3);
    const end = (id: number, state: 'sent' | 'dead') =>
      store.query.updateTable('outbox').set({ state, ended: NOW }).where('id', '=', id).execute();
    await end(sent!, 'sent');
    await end(dead!, 'dead');
    const left = async () => (await rows()).map(({ id }) => id);
    await forgetOldDeliveries(store, NOW + 7 * DAY_MS);
    assert.deepEqual(await left(), [sent, dead, waiting]);
    await forgetOldDeliveries(store, NOW + 7 * DAY_MS + 1);
    assert.deepEqual(await left(), [dead, waiting]);
    await forgetOldDeliveries(store, NOW + 30 * DAY_MS + 1);
    assert.deepEqual(await left(), [waiting]);
  });
});
