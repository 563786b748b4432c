import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../../testing/databases.ts';
import { NOW } from '../../../testing/people.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { startUptime } from './uptime.ts';

const at = (minute: number) => NOW + minute * 60_000;

onEitherEngine<Tables>('the time that servers were up', { migrations: MIGRATIONS }, (open) => {
  /** A server that lives from a minute to another, and how many minutes it has recorded at its end. */
  async function live(store: Store, from: number, to: number): Promise<(since: number) => number> {
    let steady = at(from);
    const uptime = await startUptime(store, at(from), () => steady);
    steady = at((from + to) / 2);
    await uptime.note(steady);
    steady = at(to);
    await uptime.note(steady);
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

  if (open.storeKind === 'postgres')
    test('knows of another that goes on, also where that was up before', async () => {
      const store = await open();
      const steady = { now: at(0) };
      const first = await startUptime(store, at(0), () => steady.now);
      steady.now = at(1);
      await first.note(at(1));
      steady.now = at(2);
      const second = await startUptime(store, at(2), () => steady.now);
      steady.now = at(3);
      await first.note(at(3));
      await second.note(at(3));
      assert.equal(second.since(at(0), at(3)) / 60_000, 3);
    });

  test('does not grow when the clock is set, or the machine slept; silence that goes on is still noticed', async () => {
    const store = await open();
    let awake = 0;
    const uptime = await startUptime(store, at(0), () => awake * 60_000);
    const up = (since: number, now: number) => uptime.since(at(since), at(now)) / 60_000;
    awake = 10;
    assert.equal(up(4, 10), 6);
    // An hour forward, while a minute passes.
    awake = 11;
    assert.equal(up(4, 71), 7, 'a device that was silent for 7 minutes is not silent for an hour');
    awake = 21;
    await uptime.note(at(81));
    assert.equal(up(4, 81), 17);
    // Set back: data received at a time that is now in the future was received before.
    awake = 22;
    assert.equal(up(75, 22), 0);
    awake = 30;
    assert.equal(up(75, 30), 8, 'its silence counts from then on');
    await uptime.note(at(30));
    const next = await startUptime(store, at(40), () => awake * 60_000);
    assert.ok(next.since(at(25), at(40)) / 60_000 <= 10, 'the next life has no more');
  });

  test('is not lost where looking takes long, or what was read before is asked after what was read since', async () => {
    const store = await open();
    let steady = at(0);
    const uptime = await startUptime(store, at(0), () => steady);
    const read = { wall: at(5), steady: at(5) };
    // By now it is later.
    steady = at(6);
    assert.equal(uptime.since(at(0), read.wall, read.steady) / 60_000, 5);
    await uptime.note(at(6));
    assert.equal(uptime.since(at(0), read.wall, read.steady) / 60_000, 5);
    assert.equal(uptime.since(at(0), at(6)) / 60_000, 6);
    const next = await startUptime(store, at(10), () => at(10));
    assert.equal(next.since(at(0), at(10)) / 60_000, 6);
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
