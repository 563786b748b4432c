import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPostgres } from '../../../server/src/testing/databases.ts';
import { lookInto } from '../../../server/src/testing/place.ts';
import { apiOf } from '../harness/api.ts';
import { type ServerProcess, startServer } from '../harness/server-process.ts';

const NODES = 4;

onPostgres('nodes that start at once on an empty database', { migrations: [] }, (open) => {
  async function startAll(t: { after(stop: () => Promise<void>): void }, settings: Record<string, string> = {}) {
    const place = await open.emptyPlace();
    const starting = Array.from({ length: NODES }, () => startServer('postgres', place, settings));
    t.after(async () => {
      for (const one of await Promise.allSettled(starting)) if (one.status === 'fulfilled') await one.value.stop();
    });
    return { place, nodes: await Promise.all(starting) };
  }

  test('all run, and there is one admin of the settings', async (t) => {
    const { place, nodes } = await startAll(t);
    assert.ok(nodes.every((node) => node.isRunning()));
    const users = await lookInto(place, (store) => store.query.selectFrom('users').select('email').execute());
    assert.equal(users.length, 1);
  });

  const linkOf = (node: ServerProcess) => /\/setup#(\w+)/.exec(node.output())?.[1];

  test('all print one set-up link, which works once, at any of them', async (t) => {
    const { nodes } = await startAll(t, { TRACKWAY_ADMIN_EMAIL: '', TRACKWAY_ADMIN_PASSWORD: '' });
    const links = new Set(nodes.map(linkOf));
    assert.equal(links.size, 1);
    const [token] = links;
    assert.ok(token);
    const setUp = async (node: ServerProcess, email: string) => {
      const api = apiOf(node.address);
      t.after(async () => api.close());
      const body = { token, email, password: 'a very long password of tests' };
      return (await api('POST', '/api/setup', { body })).status;
    };
    const answers = await Promise.all(nodes.slice(1).map((node, index) => setUp(node, `admin${index}@example.org`)));
    assert.deepEqual(answers.sort(), [200, 403, 403]);
  });
});
