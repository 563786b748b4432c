import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimit } from '../../../edge/http/rate-limit.ts';
import { timeNow } from '../../../platform/clock.ts';
import { createLog } from '../../../platform/log.ts';
import { onPostgres } from '../../../testing/databases.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { exchangeCounts } from './exchange-counts.ts';

const LIMIT = 300;
const NODES = 3;

onPostgres<Tables>('limits of several nodes', { migrations: MIGRATIONS }, (open) => {
  test('hold for all of them together, within a tenth, and begin anew each minute', async (t) => {
    const store: Store = await open();
    // A minute that does not end while this test runs.
    t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
    const nodes = Array.from({ length: NODES }, () => {
      const limit = new RateLimit(LIMIT);
      const options = { log: createLog('silent'), nodes: () => NODES, everyMs: 3_600_000 };
      return { limit, exchange: exchangeCounts(store, { requests: limit }, options) };
    });
    t.after(() => Promise.all(nodes.map(({ exchange }) => exchange.stop())));
    let allowed = 0;
    // A caller that asks all nodes in turn, twice as often as it may: ten a second.
    for (let second = 0; second < 60; second++) {
      for (let ask = 0; ask < 10; ask++) {
        const { limit } = nodes[(second + ask) % NODES]!;
        if (limit.count('user 1', timeNow()).remaining >= 0) allowed++;
      }
      for (const { exchange } of nodes) await exchange.now();
    }
    assert.ok(allowed >= LIMIT * 0.9 && allowed <= LIMIT * 1.1, `${allowed} of ${LIMIT}`);
    t.mock.timers.tick(60_000);
    for (const { exchange } of nodes) await exchange.now();
    for (const { limit } of nodes) assert.equal(limit.count('user 1', timeNow()).remaining, LIMIT - 1);
  });
});
