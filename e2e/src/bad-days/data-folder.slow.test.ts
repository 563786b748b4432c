import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { ADMIN, startServer } from '../harness/server-process.ts';

/** The data folder, or a file in it, is taken away from a running server. */

async function start(t: TestContext) {
  const place = await mkdtemp(join(tmpdir(), 'trackway-folder-'));
  const folder = join(place, 'data');
  const server = await startServer('sqlite', folder);
  t.after(async () => {
    await server.kill();
    await rm(place, { recursive: true, force: true });
  });
  const post = (path: string, body: unknown, token = '') =>
    fetch(`${server.address}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: token },
      body: JSON.stringify(body),
    });
  const { id: token } = (await (await post('/users/login', ADMIN)).json()) as { id: string };
  const ready = async () => {
    const answer = await fetch(`${server.address}/readyz`);
    return { ...((await answer.json()) as { reasons?: string[] }), status: answer.status };
  };
  assert.equal((await ready()).status, 200);
  return {
    folder,
    server,
    ready,
    make: () => post('/devices', { name: 'van' }, token),
    read: () => fetch(`${server.address}/api/devices`, { headers: { authorization: token } }),
  };
}

const GONE = ['The files of the database were removed or replaced.'];

const WAYS: [string, (folder: string) => Promise<void>][] = [
  ['the folder is removed', (folder) => rm(folder, { recursive: true })],
  [
    'the folder is replaced by an empty one',
    async (folder) => {
      await rename(folder, `${folder}-away`);
      await mkdir(folder);
    },
  ],
  ['the database is removed', (folder) => rm(join(folder, 'trackway.db'))],
  ['the log is removed', (folder) => rm(join(folder, 'trackway.db-wal'))],
];

for (const [name, takeAway] of WAYS) {
  test(`${name}: not ready, loud, and nothing is acknowledged that would be lost`, async (t) => {
    const { folder, server, ready, make, read } = await start(t);
    assert.equal((await make()).status, 200);
    await takeAway(folder);
    const { reasons } = await eventually('it is not ready', ready, ({ status }) => status === 503);
    assert.deepEqual(reasons, GONE);
    await eventually('the log says so', server.output, (said) => /"level":50.*removed or replaced/.test(said));
    const refused = await make();
    assert.equal(refused.status, 503);
    assert.match(refused.headers.get('retry-after')!, /^\d+$/);
    assert.equal((await read()).status, 200, 'what is there can be read');
    assert.equal(await server.stop(), 0);
  });
}

test('a folder that is put back serves again', async (t) => {
  const { folder, ready, make } = await start(t);
  await rename(folder, `${folder}-away`);
  await eventually('it is not ready', ready, ({ status }) => status === 503);
  await rename(`${folder}-away`, folder);
  await eventually('it is ready again', ready, ({ status }) => status === 200);
  assert.equal((await make()).status, 200);
});
