import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPostgres } from '../../../server/src/testing/databases.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { startServer } from '../harness/server-process.ts';

onPostgres('a server of two processes', { migrations: [] }, (open) => {
  test('answers by both on one port, and ends with both', async (t) => {
    const settings = { TRACKWAY_PROCESSES: '2', TRACKWAY_NODE_NAME: 'hub' };
    const server = await startServer('postgres', await open.emptyPlace(), settings);
    t.after(() => server.stop());
    await eventually('both are ready', () => /Process 2 is ready/.test(server.output()));
    const names = new Set<string | undefined>();
    await eventually('both have answered', async () => {
      const answer = await fetch(`${server.address}/readyz`, { headers: { connection: 'close' } });
      names.add(((await answer.json()) as { node?: string }).node);
      return names.size === 2;
    });
    assert.deepEqual([...names].sort(), ['hub', 'hub 2']);
    assert.equal(await server.stop(), 0);
  });
});
