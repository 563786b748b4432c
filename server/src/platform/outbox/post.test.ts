import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../domain/schema/migrations.ts';
import type { Store, Tables } from '../../domain/schema/tables.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { makeUser, NOW } from '../../testing/people.ts';
import { testVault } from '../../testing/vault.ts';
import { openSecrets, readable, secretsInUse } from './destinations.ts';
import { type Posting, post } from './post.ts';

onBothEngines<Tables>('posting', { migrations: MIGRATIONS }, (open) => {
  const posting = (userId: number, more: Partial<Posting> = {}): Posting => ({
    kind: 'http',
    isSigned: true,
    target: 'https://example.com/hook',
    ownerId: userId,
    userId,
    deviceId: 7,
    address: null,
    what: 'newLoc',
    content: { text: 'hello', type: 'text/plain' },
    ...more,
  });
  const postAll = (store: Store, postings: readonly Posting[]) => store.transaction((tx) => post(tx, postings, NOW));

  test('rows wait in the order in which they were posted, each with an id of its own for its receiver', async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    const postings = Array.from({ length: 100 }, (_, i) =>
      posting(userId, { content: (messageId) => ({ text: `${i} ${messageId}`, type: 'text/plain' }) }),
    );
    const ids = await postAll(store, postings);
    const rows = await store.query.selectFrom('outbox').selectAll().orderBy('id').execute();
    assert.deepEqual(
      rows.map(({ id }) => id),
      ids,
    );
    rows.forEach(({ content, messageId, state, created, nextAt, ended }, i) => {
      assert.equal(JSON.parse(content).text, `${i} ${messageId}`);
      assert.deepEqual([state, created, nextAt, ended], ['queued', NOW, NOW, null]);
    });
    assert.equal(new Set(rows.map(({ messageId }) => messageId)).size, 100);
    assert.equal(new Set(rows.map(({ destinationId }) => destinationId)).size, 1);
  });

  test('each user has a destination of their own for the same target, the operator one for all', async () => {
    const store = await open();
    const { userId: a } = await makeUser(store, 'a@example.com');
    const { userId: b } = await makeUser(store, 'b@example.com');
    const mail = { kind: 'email', isSigned: false, target: 'smtp', ownerId: null };
    await postAll(store, [posting(a), posting(b), posting(a, mail), posting(b, mail)]);
    await postAll(store, [posting(b), posting(a), posting(b, { target: 'https://example.com/other' })]);
    const destinations = await store.query.selectFrom('destinations').selectAll().orderBy('id').execute();
    assert.deepEqual(
      destinations.map(({ kind, target, userId, state }) => [kind, target, userId, state]).sort(),
      [
        ['email', 'smtp', null, 'up'],
        ['http', 'https://example.com/hook', a, 'up'],
        ['http', 'https://example.com/hook', b, 'up'],
        ['http', 'https://example.com/other', b, 'up'],
      ].sort(),
    );
  });

  test('a webhook gets its secret when it is first needed, other destinations have none', async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    await postAll(store, [
      posting(userId),
      posting(userId, { kind: 'sqs', isSigned: false, target: 'arn:aws:sqs:eu-west-1:1:q' }),
    ]);
    const destinations = await store.query.selectFrom('destinations').selectAll().orderBy('kind').execute();
    const [{ id, secrets: cell }, queue] = destinations as [(typeof destinations)[0], (typeof destinations)[0]];
    const [secret] = readable(await store.transaction((tx) => secretsInUse(tx, testVault, id, cell)));
    assert.match(secret!.secret, /^whsec_[A-Za-z0-9+/]{32}$/);
    assert.equal(secret!.until, null);
    const stored = await store.query
      .selectFrom('destinations')
      .select('secrets')
      .where('id', '=', id)
      .executeTakeFirst();
    assert.ok(!stored!.secrets!.includes('whsec_'), 'it is encrypted');
    assert.deepEqual(openSecrets(testVault, id, stored!.secrets), [secret], 'and stays the same');
    assert.equal(queue.secrets, null);
  });

  test('a transaction that is undone leaves nothing, and the next one starts afresh', async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    const undone = store.transaction(async (tx) => {
      await post(tx, [posting(userId)], NOW);
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    assert.equal((await postAll(store, [posting(userId)])).length, 1);
    assert.equal((await store.query.selectFrom('destinations').selectAll().execute()).length, 1);
  });

  test('two transactions that make the same destinations at once make one each', async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    const targets = Array.from({ length: 30 }, (_, i) => `https://example.com/${i}`);
    const some = (order: string[]) => order.map((target) => posting(userId, { target }));
    await Promise.all([postAll(store, some(targets)), postAll(store, some(targets.toReversed()))]);
    assert.equal((await store.query.selectFrom('destinations').selectAll().execute()).length, 30);
    assert.equal((await store.query.selectFrom('outbox').selectAll().execute()).length, 60);
  });

  test('what is never sent needs no target and is over at once; what is to be sent needs one', async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    const nowhere = posting(userId, { kind: 'push', target: null });
    await postAll(store, [{ ...nowhere, state: 'suppressed', reason: 'no browser is subscribed' }]);
    const [row] = await store.query.selectFrom('outbox').selectAll().execute();
    assert.deepEqual(
      [row!.destinationId, row!.state, row!.reason, row!.ended],
      [null, 'suppressed', 'no browser is subscribed', NOW],
    );
    await assert.rejects(postAll(store, [nowhere]), /needs a target/);
  });
});
