import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { ADMIN, startServer } from '../harness/server-process.ts';
import { makeSmallDisk, type SmallDisk } from './small-disk.ts';

/** A full disk, on a file system that is really full. */

const made = makeSmallDisk(64);
const skip = typeof made === 'string' ? made : false;
if (skip) console.error(`\n*** NOT TESTED: a full disk, since it ${skip} ***\n`);

test('a full disk: reports are refused to be sent again, people go on, and nothing acknowledged is lost', {
  skip,
}, async (t) => {
  const disk = made as SmallDisk;
  const folder = join(disk.folder, 'data');
  let server = await startServer('sqlite', folder);
  t.after(async () => {
    await server.kill();
    disk.remove();
  });
  const call = async (method: string, path: string, { token = '', body }: { token?: string; body?: unknown } = {}) => {
    const answer = await fetch(`${server.address}${path}`, {
      method,
      headers: { authorization: token, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.notEqual(answer.status, 500, `${method} ${path}: ${text}`);
    if (answer.status === 503 || answer.status === 507)
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/, `${method} ${path}: ${text}`);
    return { status: answer.status, text, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : {} };
  };
  const signIn = () => call('POST', '/api/users/login', { body: ADMIN });
  const { id: token } = (await signIn()).body;
  const { id, deviceKey } = (await call('POST', '/api/devices', { token, body: { name: 'van' } })).body;
  const other = (await call('POST', '/api/devices', { token, body: { name: 'other' } })).body;
  let sent = 0;
  let acknowledged = 0;
  const begun = Date.now() - 3_600_000;
  const report = async () => {
    const points = [];
    for (let count = 0; count < 50; count++, sent++)
      points.push({ lat: 48 + sent / 1e5, lng: 11, timestamp: new Date(begun + sent * 100).toISOString() });
    const { status } = await call('POST', '/ingest/reports', { token: deviceKey, body: { points } });
    if (status === 200) acknowledged += points.length;
    return status;
  };
  const reasons = async () => (await call('GET', '/readyz')).body.reasons ?? [];
  const isReady = async () => (await call('GET', '/readyz')).status === 200;

  assert.equal(await report(), 200);
  assert.ok(await isReady());
  await eventually('there is a reserve', async () => (await call('GET', '/api/health', { token })).body.diskFree > 0);

  disk.fill();
  await eventually('reports are refused', report, (status) => status === 507);
  assert.deepEqual(await reasons(), ['The disk is full.']);
  const health = (await call('GET', '/api/health', { token })).body;
  assert.match(health.problems[0].sentence, /disk with the data folder is full/);
  assert.equal(health.ready, false);
  // The space that was reserved is for people: they sign in, look, and make room.
  assert.equal((await signIn()).status, 200);
  assert.equal((await call('GET', '/api/devices', { token })).body.length, 2);
  assert.equal((await call('DELETE', `/api/devices/${other.id}`, { token })).status, 204);

  // Even without any space people can read, and what can't be stored is refused by its name.
  disk.fill();
  await eventually(
    'nothing can be stored any more',
    () => call('POST', '/api/devices', { token, body: { name: 'x'.repeat(200), description: 'y'.repeat(1000) } }),
    ({ status }) => status === 507 || status === 503,
  );
  assert.equal((await call('GET', '/api/devices', { token })).status, 200);
  assert.ok([200, 503, 507].includes((await signIn()).status));

  disk.empty();
  await eventually('it is ready again', isReady);
  assert.equal(await report(), 200);
  const count = async () => (await call('GET', `/api/devices/${id}/points/count`, { token })).body.count;
  assert.ok((await count()) >= acknowledged);
  assert.equal(await server.stop(), 0);
  server = await startServer('sqlite', folder);
  assert.ok((await count()) >= acknowledged, 'after a restart');
  await eventually('the database was checked', () => /no damage found/.test(server.output()));
  assert.ok(await isReady());
});
