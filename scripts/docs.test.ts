import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { SETTINGS } from '../server/src/app/settings.ts';
import { apiFiles } from '../server/src/edge/http/reference/api-markdown.ts';
import { markdown } from '../server/src/edge/http/reference/markdown.ts';
import { environmentName } from '../server/src/platform/settings.ts';
import { ROOT } from './step.ts';

/** Every document by its path; the API reference is generated, so it is not in the repository. */
const documents = new Map([
  ...globSync(['*.md', 'docs/**/*.md', 'client/README.md'], { cwd: ROOT, exclude: ['docs/api'] }).map(
    (file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const,
  ),
  ...[...apiFiles()].map(([name, text]) => [`docs/api/${name}`, text] as const),
]);

test('links between documents lead to a file, and to a part of it', () => {
  const wrong = [...documents].flatMap(([file, text]) =>
    linksIn(text)
      .filter((target) => !/^https?:/.test(target) && !leads(file, target))
      .map((target) => `${file}: ${target}`),
  );
  assert.deepEqual(wrong, []);
});

function linksIn(text: string): string[] {
  const links: string[] = [];
  markdown(text, {
    link: (target) => {
      links.push(target);
      return target;
    },
  });
  return links;
}

function leads(file: string, target: string): boolean {
  const [path = '', part] = target.split('#');
  const place = path === '' ? file : join(dirname(file), path);
  const text = documents.get(place);
  if (text === undefined) return existsSync(join(ROOT, place));
  if (part === undefined) return true;
  return text.includes(`<a id="${part}"></a>`) || markdown(text).headings.some(({ id }) => id === part);
}

test('whatever is deployed uses settings that there are', () => {
  const known = [...Object.keys(SETTINGS).map(environmentName), 'TRACKWAY_IMAGE'];
  for (const file of globSync('deploy/**/*', { cwd: ROOT, withFileTypes: true }).filter((entry) => entry.isFile()))
    for (const [name] of readFileSync(join(file.parentPath, file.name), 'utf8').matchAll(/TRACKWAY_[A-Z_]+/g))
      assert.ok(known.includes(name), `${file.name}: ${name}`);
});

test('the Helm chart and the add-on for Home Assistant have the version of the product', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const versionsIn = (file: string) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^(?:appV|v)ersion: (.+)$/gm)].map(([, found]) => found);
  assert.deepEqual(versionsIn('deploy/helm/Chart.yaml'), [version, version]);
  assert.deepEqual(versionsIn('deploy/home-assistant/config.yaml'), [version]);
});

test('the add-on for Home Assistant passes options and the broker to the server', async (t) => {
  const asked: unknown[] = [];
  const supervisor = createServer((request, response) => {
    asked.push([request.url, request.headers.authorization]);
    const data = { host: 'core-mosquitto', port: 1883, ssl: false, username: 'addons', password: 'a/b' };
    response.end(JSON.stringify({ result: 'ok', data }));
  }).listen(0, '127.0.0.1');
  t.after(() => supervisor.close());
  await once(supervisor, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'trackway-addon-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const options = join(folder, 'options.json');
  const settings = [{ name: 'TRACKWAY_SMTP_FROM', value: 'a@example.com' }];
  writeFileSync(options, JSON.stringify({ show_devices_of: 'jo@example.com', settings }));
  const env = {
    SUPERVISOR_TOKEN: 'secret',
    SUPERVISOR_URL: `http://127.0.0.1:${(supervisor.address() as AddressInfo).port}`,
  };
  const script = join(ROOT, 'deploy/home-assistant/run.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, options, '/usr/bin/env'], { env });
  assert.deepEqual(asked, [['/services/mqtt', 'Bearer secret']]);
  assert.ok(!stdout.includes('secret'));
  const known = Object.keys(SETTINGS).map(environmentName);
  const passed = stdout.split('\n').filter((line) => line.startsWith('TRACKWAY_'));
  for (const line of passed) assert.ok(known.includes(line.split('=')[0]!), line);
  assert.deepEqual(passed.sort(), [
    'TRACKWAY_DATA=/data/trackway',
    'TRACKWAY_HOME_ASSISTANT=jo@example.com',
    'TRACKWAY_HOST=0.0.0.0',
    'TRACKWAY_MQTT_URL=mqtt://addons:a%2Fb@core-mosquitto:1883',
    'TRACKWAY_SMTP_FROM=a@example.com',
  ]);
});
