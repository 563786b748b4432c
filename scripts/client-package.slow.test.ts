import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { chromiumPlace, launchChromium } from '../e2e/src/console/chromium.ts';
import { ADMIN, type ServerProcess, startServer } from '../e2e/src/harness/server-process.ts';
import { ROOT } from './step.ts';
import { serveClientPage } from './testing/client-page.ts';

/** The nine operations, and the streams, by a program that knows the package alone. */
const PROGRAM = `
import { createClient, isApiError, listEntries, liveEvents, textLines } from '@trackway/client';

const url: string = process.argv[2]!;
const { id: token } = await createClient({ url }).login({ body: { email: '${ADMIN.email}', password: '${ADMIN.password}' } });
const options = { url, token, retries: 2 };
const client = createClient(options);
const { id } = await client.createDevice({ body: { name: 'van' } });
const live = liveEvents(options, { devices: [id] });
const first = live.next();
const reading = await client.createGatewayReading({ id, body: { timestamp: new Date().toISOString(), type: 'temp', value: 21 } });
const trigger = await client.createNotificationTrigger({ id, body: { type: 'button' } });
const timestamp = new Date().toISOString();
await client.createPoint({ id, body: { timestamp, location: { lat: 50, lng: 8 } } });
const sqsArn = 'arn:aws:sqs:eu-west-1:123456789012:q';
const results = [
  (await client.getGatewayReading({ id, fk: reading.id })).value,
  (await client.setupSqsForwarding({ id, sqsArn: '' })).status,
  (await client.getDeviceConfig({ id })).interval,
  (await client.updateGatewayReading({ id, fk: reading.id, body: { rssi: -60 } })).rssi,
  (await client.createGeofence({ id: 'me', body: { name: 'Yard' } })).name,
  await client.summarizePlans({ userid: 'me' }, { version: 'v2' }),
  (await client.updateNotificationTrigger({ id, fk: trigger.id, body: { muteFor: 60 } })).muteFor,
  (await client.listGeofences({ id: 'me', filter: { limit: 1 } })).length,
  (await client.createMessage({ id, body: { message: 'hello' } })).message,
];
const update = await first;
await live.return();
const lines: string[] = [];
for await (const line of textLines(options, 'exportTrack', { id, format: 'csv' })) lines.push(line);
const names: unknown[] = [];
for await (const { name } of listEntries((filter) => client.listDevices({ filter }))) names.push(name);
const refused = await client.getDevice({ id: 987654 }).catch((error: unknown) => isApiError(error, 'MODEL_NOT_FOUND'));
console.log(JSON.stringify({ results, event: update.done ? '' : update.value.event, lines: lines.length, names, refused, sqsArn }));
`;

/** What a page does with it, as a module of its own. Returns what came of it. */
const IN_PAGE = `(async ([url, email, password]) => {
  const { createClient, isApiError, listEntries, liveEvents, textLines } = await import('@trackway/client');
  const { id: token } = await createClient({ url }).login({ body: { email, password } });
  const options = { url, token, retries: 2 };
  const client = createClient(options);
  const { id } = await client.createDevice({ body: { name: 'of a page' } }, { idempotencyKey: 'page' });
  const again = await client.createDevice({ body: { name: 'of a page' } }, { idempotencyKey: 'page' });
  const names = [];
  for await (const { name } of listEntries((filter) => client.listUserDevices({ id: 'me', filter }))) names.push(name);
  const live = liveEvents(options, { devices: [id] });
  const next = live.next();
  await client.createPoint({ id, body: { timestamp: new Date().toISOString(), location: { lat: 50, lng: 8 } } });
  let update = await next;
  while (!update.done && update.value.event !== 'position') update = await live.next();
  await live.return();
  const lines = [];
  for await (const line of textLines(options, 'exportTrack', { id, format: 'csv' })) lines.push(line);
  const refused = await client.getDevice({ id: 987654 }).catch((error) => isApiError(error, 'MODEL_NOT_FOUND'));
  return { again: again.id === id, names, place: update.value?.data.location, lines: lines.length, refused };
})`;

describe('the package of the client', () => {
  const out = mkdtempSync(join(tmpdir(), 'test-client-'));
  const project = join(out, 'project');
  let server: ServerProcess;
  before(async () => {
    execFileSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'scripts/client-package.ts', '--out', out],
      {
        cwd: ROOT,
      },
    );
    execFileSync(
      'npm',
      ['pack', join(ROOT, 'node_modules/typebox'), '--pack-destination', out, '--loglevel', 'error'],
      { cwd: out },
    );
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
    const archives = globSync('*.tgz', { cwd: out }).map((name) => join(out, name));
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--loglevel', 'error', ...archives], {
      cwd: project,
    });
    server = await startServer('sqlite', join(out, 'data'));
  });
  after(async () => {
    await server?.stop();
    rmSync(out, { recursive: true, force: true });
  });

  test('is plain JavaScript with types, and needs nothing that only Node has', () => {
    const files = globSync('**/*', { cwd: join(project, 'node_modules/@trackway/client'), withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name));
    assert.ok(files.length > 10);
    for (const file of files) {
      assert.match(file, /\.(js|d\.ts)$|\/(package\.json|README\.md|LICENSE)$/);
      if (!file.endsWith('.js')) continue;
      assert.doesNotMatch(
        readFileSync(file, 'utf8'),
        /'node:|"node:|\bBuffer\b|\bprocess\.(env|argv)|@trackway\/contract\//,
        file,
      );
    }
  });

  test('does the nine operations from an empty project, with its types', async () => {
    writeFileSync(join(project, 'use.ts'), PROGRAM);
    const words = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'esnext',
      '--lib',
      'esnext,dom',
    ];
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), [...words, ...types, 'use.ts'], {
      cwd: project,
      stdio: 'inherit',
    });
    const { stdout } = await promisify(execFile)(process.execPath, ['use.ts', server.address], { cwd: project });
    const { results, event, lines, names, refused } = JSON.parse(stdout);
    assert.deepEqual(results, [21, 'off', 300, -60, 'Yard', [], 60, 1, 'hello']);
    assert.deepEqual([typeof event, names, refused], ['string', ['van'], true]);
    assert.ok(lines >= 2);
  });

  const missing = chromiumPlace() === undefined && 'Chromium is missing: apt-get install chromium';
  if (missing) console.error(`\n*** THE CLIENT IS NOT TESTED IN A BROWSER. ${missing} ***\n`);

  test('works in a browser, on a page of another origin', { skip: missing }, async () => {
    const page = await serveClientPage(project);
    const browser = await launchChromium();
    try {
      const tab = await browser.newPage();
      const troubles: string[] = [];
      tab.on('console', (said) => said.type() === 'error' && troubles.push(said.text()));
      tab.on('pageerror', (error) => troubles.push(error.message));
      await tab.goto(page.address);
      const said = await tab.evaluate(`${IN_PAGE}(${JSON.stringify([server.address, ADMIN.email, ADMIN.password])})`);
      const { names, lines, ...rest } = said as { names: string[]; lines: number };
      assert.deepEqual(rest, { again: true, place: { lat: 50, lng: 8 }, refused: true });
      assert.ok(names.filter((name) => name === 'of a page').length === 1 && lines >= 2, JSON.stringify(said));
      // What the browser itself says of the answer that refused.
      assert.deepEqual(
        troubles.filter((trouble) => !/status of 404/.test(trouble)),
        [],
      );
    } finally {
      await browser.close();
      await page.stop();
    }
  });
});
