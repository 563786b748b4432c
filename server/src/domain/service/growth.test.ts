import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { NOW } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { fullSoon, growthOf, noGrowth, SIZES, watchGrowth } from './growth.ts';

const DAY_MS = 86_400_000;
const sizes = (...bytes: readonly number[]) =>
  JSON.stringify(bytes.map((one, index) => ({ at: NOW + index * DAY_MS, bytes: one })));

test('the growth of a day says when the disk is full, and who must know', () => {
  assert.deepEqual(growthOf(undefined, 1000), noGrowth);
  assert.deepEqual(growthOf(sizes(5), 1000), noGrowth, 'one size says nothing');
  assert.deepEqual(growthOf(sizes(1e9, 1.5e9, 3e9), undefined), { bytesPerDay: 1e9, diskFullAt: null });
  const soon = growthOf(sizes(1e9, 1.5e9, 3e9), 20e9);
  assert.deepEqual(soon, { bytesPerDay: 1e9, diskFullAt: NOW + 22 * DAY_MS });
  assert.match(fullSoon(soon, NOW + 2 * DAY_MS)!, /full around 2026-06-23: the database grows by 1000 MB a day/);
  assert.equal(fullSoon(growthOf(sizes(1e9, 1.5e9, 3e9), 90e9), NOW), undefined, 'not within a month');
  assert.equal(growthOf(sizes(2e9, 1e9), 1e9).diskFullAt, null, 'it shrinks');
});

onEitherEngine<Tables>('the size of the database', { migrations: MIGRATIONS }, (open) => {
  test('is recorded once a day, and reported before the disk is full', async () => {
    const store: Store = await open();
    const said: string[] = [];
    const watch = watchGrowth(store, { warn: (_, sentence) => said.push(sentence) });
    await watch.note(NOW);
    await watch.note(NOW + 3_600_000);
    const noted = async () =>
      JSON.parse(
        (await store.query.selectFrom('settings').select('value').where('name', '=', SIZES).executeTakeFirstOrThrow())
          .value,
      ) as { bytes: number }[];
    assert.equal((await noted()).length, 1);
    assert.deepEqual(await watch.growth(), noGrowth);
    const [first] = await noted();
    const value = JSON.stringify([{ at: NOW - DAY_MS, bytes: first!.bytes - 1000 }]);
    await store.query.updateTable('settings').set({ value }).where('name', '=', SIZES).execute();
    store.condition.disk = { free: 5000, total: 100_000, logBytes: 0 };
    await watch.note(NOW);
    assert.ok((await watch.growth()).bytesPerDay! >= 1000);
    assert.match(said[0]!, /The disk with the data folder will be full around 2026-06-0/);
  });
});
