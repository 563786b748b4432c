import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generated } from 'kysely';
import { onBothEngines } from '../../testing/databases.ts';
import { acquireLease, freeLeasesOfDead, isLeaseFree, isRenewalDue, releaseLease, renewLease } from './lease.ts';
import { runSql } from './run-sql.ts';

interface Tables {
  jobs: { id: Generated<number>; note: string | null; owner: string | null; until: number | null };
}

const migrations = [{ name: 'jobs', up: 'CREATE TABLE jobs (id {id}, note {text}, owner {text}, until {time});' }];
const LEASE = { table: 'jobs', key: 'id', owner: 'owner', until: 'until' };
const ACQUIRE = acquireLease(LEASE, { set: ['note'], returning: ['id', 'note'] });
const RENEW = renewLease(LEASE, { set: ['note'] });
const RELEASE = releaseLease(LEASE);

onBothEngines<Tables>('a lease', { migrations }, (open) => {
  async function setting() {
    const db = await open();
    const job = { note: null, owner: null, until: null };
    const { id } = await db.query.insertInto('jobs').values(job).returning('id').executeTakeFirstOrThrow();
    const run = async (sql: string, ...cells: (string | number)[]) => (await runSql(db.query, sql, cells)).length === 1;
    return {
      db,
      acquire: (owner: string, now: number) => run(ACQUIRE, owner, now + 10, `by ${owner}`, id, owner, now),
      renew: (owner: string, now: number) => run(RENEW, now + 10, `again ${owner}`, id, owner),
      release: (owner: string) => run(RELEASE, id, owner),
      row: () => db.query.selectFrom('jobs').selectAll().executeTakeFirstOrThrow(),
    };
  }

  test('is had by one at a time, until it is given back or ends', async () => {
    const { acquire, release, row } = await setting();
    assert.equal(await acquire('one', 0), true);
    assert.equal(await acquire('two', 9), false);
    assert.equal((await row()).note, 'by one', 'nothing else is set either');
    assert.equal(await acquire('one', 9), true, 'its owner may have it again');
    assert.equal(await release('two'), false);
    assert.equal(await release('one'), true);
    assert.equal(await acquire('two', 10), true);
    assert.equal(await acquire('one', 20), true, 'it has ended');
  });

  test('lasts while it is renewed, and is renewed by nobody who lost it', async () => {
    const { acquire, renew, row } = await setting();
    await acquire('one', 0);
    assert.equal(await renew('one', 5), true);
    assert.equal(await acquire('two', 14), false);
    assert.equal(await acquire('two', 15), true);
    assert.equal(await renew('one', 16), false);
    assert.equal((await row()).note, 'by two');
  });

  test('of a dead process is free at once where only one can be there', async () => {
    const { db, acquire } = await setting();
    await acquire('dead', 0);
    await freeLeasesOfDead(db, LEASE);
    assert.equal(await acquire('next', 1), db.dialect.name === 'sqlite');
  });
});

test('who may have a lease, and when it is to be renewed', () => {
  assert.equal(isLeaseFree({ owner: null, until: null }, 'one', 0), true);
  assert.equal(isLeaseFree({ owner: 'two', until: 10 }, 'one', 9), false);
  assert.equal(isLeaseFree({ owner: 'two', until: 10 }, 'two', 9), true);
  assert.equal(isLeaseFree({ owner: 'two', until: 10 }, 'one', 10), true);
  assert.deepEqual([isRenewalDue(10, 10, 4), isRenewalDue(10, 10, 5)], [false, true]);
});
