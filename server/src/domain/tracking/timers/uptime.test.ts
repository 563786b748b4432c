import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../../testing/databases.ts';
import { NOW } from '../../../testing/people.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { startUptime } from './uptime.ts';

const at = (minute: number) => NOW + minute * 60_000;

onBothEngines<Tables>('the time that servers were up', { migrations: MIGRATIONS }, (open) => {
  /** A server that lives from a minute to another, and how many minutes it knows of at its end. */
  async function live(store: Store, from: number, to: number): Promise<(since: number) => number> {
    const uptime = await startUptime(store, at(from));
    await uptime.note(at((from + to) / 2));
    await uptime.note(at(to));
    return (since) => uptime.since(at(since), at(to)) / 60_000;
  }

  test('counts over restarts, and the time between them does not', async () => {
    const store = await open();
    const first = await live(store, 0, 10);
    assert.deepEqual([first(0), first(4), first(-5)], [10, 6, 10]);
    await live(store, 20, 30);
    const third = await live(store, 100, 101);
    assert.deepEqual([third(0), third(5), third(15), third(25), third(50), third(100.5)], [21, 16, 11, 6, 1, 0.5]);
  });

  test('counts once where several are up', async () => {
    const store = await open();
    await live(store, 0, 60);
    await live(store, 10, 20);
    const last = await live(store, 50, 70);
    assert.equal(last(0), 70);
    assert.equal(last(55), 15);
  });

  test('is kept of so many lives and no more', async () => {
    const store = await open();
    for (let life = 0; life < 205; life++) await live(store, life * 10, life * 10 + 1);
    const kept = await store.query.selectFrom('settings').select('name').where('name', 'like', 'up since%').execute();
    assert.ok(kept.length <= 201, `${kept.length} are kept`);
    const last = await live(store, 2050, 2051);
    assert.equal(last(2000), 6);
  });
});
