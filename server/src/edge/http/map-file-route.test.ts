import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type FastifyInstance, fastify } from 'fastify';
import { invalidToken } from '../../refusals.ts';
import { mountMapFiles } from './map-file-route.ts';
import type { RequestContext } from './mount.ts';
import { RateLimit } from './rate-limit.ts';

const CONTENT = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 251));
const authorization = 'a good token';
let folder: string;
let server: FastifyInstance;
/** The file that is the map of the server. */
let open: string | undefined;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trackway-maps-'));
  await mkdir(join(folder, 'data/inner'), { recursive: true });
  await writeFile(join(folder, 'outside.pmtiles'), 'not for you');
  await writeFile(join(folder, 'data/Südtirol (2).pmtiles'), CONTENT);
  await writeFile(join(folder, 'data/trackway.key'), 'a secret');
  await writeFile(join(folder, 'data/.hidden.pmtiles'), 'hidden');
  await writeFile(join(folder, 'data/inner/in.pmtiles'), 'inner');
  await mkdir(join(folder, 'data/folder.pmtiles'));
  await writeFile(join(folder, 'data/empty.pmtiles'), '');
  server = serverOf(0);
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function serverOf(perMinute: number): FastifyInstance {
  const context = {
    gate: {
      async authenticate(token: string) {
        if (token !== authorization) throw invalidToken();
        return { userId: 1, admin: false, tokenId: 1 };
      },
    },
    limit: new RateLimit(0),
  } as unknown as RequestContext;
  const made = fastify({ exposeHeadRoutes: false });
  mountMapFiles(made, context, {
    folder: join(folder, 'data'),
    limit: new RateLimit(perMinute),
    openFile: async () => open,
  });
  return made;
}

const URL_OF_IT = `/map-files/${encodeURIComponent('Südtirol (2).pmtiles')}`;
const get = (headers: Record<string, string> = {}, url = URL_OF_IT, method: 'GET' | 'HEAD' = 'GET') =>
  server.inject({ method, url, headers: { authorization, ...headers } });

test('it answers the part that is asked for', async () => {
  for (const [range, first, last] of [
    ['bytes=0-126', 0, 126],
    ['bytes=990-', 990, 999],
    ['bytes=-7', 993, 999],
  ] as const) {
    const answer = await get({ range });
    assert.equal(answer.statusCode, 206, range);
    assert.equal(answer.headers['content-range'], `bytes ${first}-${last}/1000`);
    assert.equal(answer.headers['content-length'], String(last - first + 1));
    assert.deepEqual(answer.rawPayload, CONTENT.subarray(first, last + 1), range);
    assert.equal(answer.headers['content-encoding'], undefined);
  }
  const none = await get({ range: 'bytes=1000-' });
  assert.equal(none.statusCode, 416);
  assert.equal(none.headers['content-range'], 'bytes */1000');
  const whole = await get();
  assert.equal(whole.statusCode, 200);
  assert.equal(whole.headers['accept-ranges'], 'bytes');
  assert.deepEqual(whole.rawPayload, CONTENT);
  const head = await get({ range: 'bytes=0-1' }, URL_OF_IT, 'HEAD');
  assert.deepEqual([head.statusCode, head.headers['content-length'], head.rawPayload.length], [200, '1000', 0]);
  assert.equal((await get({}, '/map-files/empty.pmtiles')).rawPayload.length, 0);
});

test('parts of two versions are never mixed', async () => {
  const { etag, 'last-modified': changed } = (await get({ range: 'bytes=0-1' })).headers as Record<string, string>;
  assert.match(etag!, /^"[\w-]+"$/, 'a strong tag');
  for (const ifRange of [etag!, changed!])
    assert.equal((await get({ range: 'bytes=0-1', 'if-range': ifRange })).statusCode, 206);
  for (const ifRange of ['"another"', `W/${etag}`, 'Thu, 01 Jan 1970 00:00:00 GMT'])
    assert.equal((await get({ range: 'bytes=0-1', 'if-range': ifRange })).statusCode, 200, ifRange);
  for (const known of [etag!, `W/${etag}`, `"x", ${etag}`, '*'])
    assert.equal((await get({ 'if-none-match': known, range: 'bytes=0-1' })).statusCode, 304, known);
  assert.equal((await get({ 'if-modified-since': changed! })).statusCode, 304);
  assert.equal((await get({ 'if-modified-since': changed!, 'if-none-match': '"another"' })).statusCode, 200);
  await utimes(join(folder, 'data/Südtirol (2).pmtiles'), new Date(), new Date(Date.now() + 5000));
  const later = await get({ range: 'bytes=0-1', 'if-range': etag! });
  assert.equal(later.statusCode, 200);
  assert.notEqual(later.headers.etag, etag);
});

test('only map files of the folder itself are served, and only to users', async () => {
  for (const name of [
    'gone.pmtiles',
    'trackway.key',
    '.hidden.pmtiles',
    '..%2Foutside.pmtiles',
    '%2E%2E%2Foutside.pmtiles',
    '..%5Coutside.pmtiles',
    'inner%2Fin.pmtiles',
    'folder.pmtiles',
    'trackway.key%00.pmtiles',
    'a~b.pmtiles',
  ])
    assert.equal((await get({}, `/map-files/${name}`)).statusCode, 404, name);
  for (const authorization of ['', 'another token'])
    assert.equal((await get({ authorization }, URL_OF_IT)).statusCode, 401);
  assert.equal((await get({ authorization: '' }, '/map-files/gone.pmtiles')).statusCode, 401, 'nobody learns of names');
});

test('the file that is the map of the server is open to anyone, in small parts', async () => {
  await writeFile(join(folder, 'data/large.pmtiles'), Buffer.alloc(5 * 1024 * 1024, 7));
  const strict = serverOf(8);
  const ask = (headers: Record<string, string> = {}, name = 'large') =>
    strict.inject({ url: `/map-files/${name}.pmtiles`, headers });
  const code = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).statusCode;
  assert.equal(await code({ range: 'bytes=0-9' }), 401, 'no map was chosen');
  open = 'large.pmtiles';
  const part = await ask({ range: 'bytes=0-9' });
  assert.deepEqual([part.statusCode, part.rawPayload], [206, Buffer.alloc(10, 7)]);
  assert.equal(await code({ range: 'bytes=0-9', authorization: 'another token' }), 401);
  assert.equal(await code({ range: 'bytes=0-9' }, 'empty'), 401, 'only this one');
  const whole = await ask();
  assert.deepEqual([whole.statusCode, whole.headers['cache-control']], [401, undefined]);
  assert.equal(await code({ range: 'bytes=0-' }), 401);
  assert.equal(await code({ range: 'bytes=0-9', 'if-range': '"another"' }), 401);
  assert.equal(await code({ authorization }), 200, 'users get all of it');
  assert.equal(await code({ range: 'bytes=0-9' }), 206);
  assert.equal(await code({ range: 'bytes=0-9' }), 429, 'an address has an allowance');
  open = undefined;
  await strict.close();
});

test('whoever keeps a large file elsewhere links it', async () => {
  await symlink(join(folder, 'outside.pmtiles'), join(folder, 'data/linked.pmtiles'));
  assert.equal((await get({}, '/map-files/linked.pmtiles')).body, 'not for you');
});

test('tiles have an allowance of their own', async () => {
  const strict = serverOf(2);
  const codes: number[] = [];
  for (let count = 0; count < 4; count++)
    codes.push((await strict.inject({ url: URL_OF_IT, headers: { authorization } })).statusCode);
  assert.deepEqual(codes, [200, 200, 429, 429]);
  await strict.close();
});
