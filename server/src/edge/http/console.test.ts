import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type FastifyInstance, fastify } from 'fastify';
import { type ConsoleOptions, mountConsole } from './console.ts';

const PAGE = { accept: 'text/html,application/xhtml+xml' };
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trackway-console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>the console</title>');
  await writeFile(join(folder, 'link.html'), '<!doctype html><title>a link</title>');
  await writeFile(join(folder, 'assets/app-1a2b.js'), 'plain()');
  await writeFile(join(folder, 'assets/app-1a2b.js.gz'), gzipSync('zipped()'));
  await writeFile(join(folder, 'secret.txt'), 'not for you');
});
after(() => rm(folder, { recursive: true, force: true }));

function serverOf(options: Partial<ConsoleOptions> = {}): FastifyInstance {
  const server = fastify({ exposeHeadRoutes: false });
  const page = mountConsole(server, { mapAddresses: async () => [], folder, ...options });
  server.setNotFoundHandler(
    (request, reply) => page.serveUnknown(request, reply) ?? reply.code(404).send({ error: 'unknown' }),
  );
  return server;
}

test('every address of the console is its page; those of programs stay unknown', async () => {
  const server = serverOf();
  for (const url of ['/', '/devices/3', '/sign-in?next=%2F', '/setup']) {
    const answer = await server.inject({ url, headers: PAGE });
    assert.equal(answer.statusCode, 200, url);
    assert.match(answer.body, /the console/, url);
    assert.equal(answer.headers['cache-control'], 'no-cache', url);
  }
  for (const url of ['/api/nothing', '/v2/nothing', '/ingest/nothing', '/assets/gone.js', '/docs/nothing']) {
    assert.equal((await server.inject({ url, headers: PAGE })).statusCode, 404, url);
  }
  assert.equal((await server.inject({ url: '/devices/3' })).statusCode, 404, 'a program that asks for no page');
  assert.equal((await server.inject({ method: 'POST', url: '/devices/3', headers: PAGE })).statusCode, 404);
});

test('the page may run nothing but its own scripts, and load nothing but the map from elsewhere', async () => {
  const policyOf = async (mapStyle: string, mapHosts = '') =>
    String(
      (
        await serverOf({ mapAddresses: async () => [mapStyle, ...mapHosts.split(',')] }).inject({
          url: '/',
          headers: PAGE,
        })
      ).headers['content-security-policy'],
    );
  const bare = await policyOf('');
  assert.doesNotMatch(bare, /unsafe|https?:|\*/);
  assert.match(bare, /script-src 'self';.*frame-ancestors 'none'; base-uri 'none'; form-action 'self'$/);
  const mapped = await policyOf('https://maps.example.org/styles/quiet.json?key=a;b');
  assert.match(
    mapped,
    /img-src 'self' data: blob: https:\/\/maps\.example\.org; connect-src 'self' https:\/\/maps\.example\.org;/,
  );
  assert.match(mapped, /script-src 'self';/);
  assert.equal(await policyOf('no address at all; script-src *'), bare);
  assert.match(
    await policyOf('https://a.example.org/style.json', 'https://tiles.example.org/x, https://a.example.org, *, ;'),
    /connect-src 'self' https:\/\/a\.example\.org https:\/\/tiles\.example\.org;/,
  );
});

test('files never change under their name, and come in the smallest form the caller takes', async () => {
  const server = serverOf();
  const zipped = await server.inject({ url: '/assets/app-1a2b.js', headers: { 'accept-encoding': 'gzip, br' } });
  assert.equal(zipped.headers['content-encoding'], 'gzip');
  assert.match(String(zipped.headers['cache-control']), /immutable/);
  for (const accepted of ['identity', 'gzip;q=0']) {
    const plain = await server.inject({ url: '/assets/app-1a2b.js', headers: { 'accept-encoding': accepted } });
    assert.equal(plain.headers['content-encoding'], undefined, accepted);
    assert.equal(plain.body, 'plain()', accepted);
  }
});

test('no name leads out of the folder', async () => {
  const server = serverOf();
  for (const name of [
    '../secret.txt',
    '..%2fsecret.txt',
    '%2e%2e%2fsecret.txt',
    '..%5csecret.txt',
    '.hidden.js',
    'x.txt',
  ]) {
    const answer = await server.inject({ url: `/assets/${name}` });
    assert.equal(answer.statusCode, 404, name);
    assert.doesNotMatch(answer.body, /not for you/, name);
  }
});

test('where nothing was built, the page says what to do', async () => {
  const answer = await serverOf({ folder: join(folder, 'nowhere') }).inject({ url: '/', headers: PAGE });
  assert.equal(answer.statusCode, 404);
  assert.match(answer.body, /npm run build/);
});

test('the page of a link is not indexed, and shown in frames of its own sites alone', async () => {
  const sites: Record<string, string[]> = {
    open: ['https://shop.example.com', 'http://localhost:3000'],
    hostile: ["https://a.example; script-src 'unsafe-inline'", '*', 'https://b.example'],
  };
  const server = serverOf({ linkFrames: async (handle) => sites[handle] ?? [] });
  const framesOf = async (handle: string) => {
    const { statusCode, headers, body } = await server.inject({ url: `/l/${handle}` });
    assert.equal(statusCode, 200);
    assert.match(body, /a link/);
    assert.deepEqual(
      [headers['x-robots-tag'], headers['referrer-policy'], headers['cache-control']],
      ['noindex, nofollow, noarchive', 'no-referrer', 'no-cache'],
    );
    const policy = String(headers['content-security-policy']);
    assert.doesNotMatch(policy, /unsafe/);
    return /frame-ancestors ([^;]*)/.exec(policy)?.[1];
  };
  assert.equal(await framesOf('open'), 'https://shop.example.com http://localhost:3000');
  assert.equal(await framesOf('hostile'), 'https://b.example');
  assert.equal(await framesOf('unknown'), "'none'");
});
