import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../testing/databases.ts';
import { installationValue } from './installation-lease.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Tables } from './tables.ts';

onBothEngines<Tables>('what is kept', { migrations: MIGRATIONS }, (open) => {
  test('is made once, whoever comes first, and is the same after the next start', async () => {
    const place = await open.emptyPlace();
    const first = await open.at(place);
    let made = 0;
    const all = await Promise.all(
      Array.from({ length: 8 }, () => installationValue(first, 'key', () => `value ${++made}`)),
    );
    assert.equal(new Set(all).size, 1);
    await first.close();
    const next = await open.at(place);
    assert.equal(await installationValue(next, 'key', () => assert.fail('it is there')), all[0]);
    assert.notEqual(await installationValue(next, 'another', () => 'another value'), all[0]);
  });
});
