import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { ADMIN, startServer } from '../harness/server-process.ts';

/** The rules and the dashboard of docs/operations, on a real Prometheus that scrapes a real server. */

const OPERATIONS = fileURLToPath(new URL('../../../docs/operations/', import.meta.url));
const RULES = join(OPERATIONS, 'alerts.yml');

function missing(): string | false {
  try {
    for (const program of ['prometheus', 'promtool']) execFileSync(program, ['--version'], { stdio: 'pipe' });
    return false;
  } catch {
    return 'Prometheus is not installed: apt install prometheus';
  }
}
const skip = missing();
if (skip) console.error(`\n*** NOT TESTED: alert rules and dashboard. ${skip} ***\n`);

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

/** What the dashboard asks, for all servers. */
const dashboardQueries = () =>
  (JSON.parse(readFileSync(join(OPERATIONS, 'grafana-dashboard.json'), 'utf8')) as Dashboard).panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replaceAll('$instance', '.*'));
const ruleQueries = () => [...readFileSync(RULES, 'utf8').matchAll(/^ +expr: (.+)$/gm)].map((match) => match[1]!);
const metricsOf = (queries: readonly string[]) =>
  new Set(queries.join('\n').match(/\b(?:trackway|nodejs|process)_\w+/g));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

test('the rules and the configuration are valid', { skip }, () => {
  execFileSync('promtool', ['check', 'rules', RULES], { stdio: 'pipe' });
  execFileSync('promtool', ['check', 'config', join(OPERATIONS, 'prometheus.yml')], { stdio: 'pipe' });
});

test('every metric that is named is there, and a server that is not ready raises the alarm', { skip }, async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'trackway-prometheus-'));
  const data = join(place, 'data');
  const server = await startServer('sqlite', data);
  let prometheus: ChildProcess | undefined;
  t.after(async () => {
    if (prometheus?.kill('SIGKILL')) await once(prometheus, 'exit');
    await server.kill();
    await rm(place, { recursive: true, force: true });
  });
  await fetch(`${server.address}/api/users/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...ADMIN, password: 'not this one' }),
  });

  // The same files, only faster and with this server.
  const faster = (text: string) => text.replaceAll(/(interval: )15s/g, '$11s').replaceAll(/for: \d+[mh]/g, 'for: 1s');
  const config = faster(readFileSync(join(OPERATIONS, 'prometheus.yml'), 'utf8'));
  writeFileSync(join(place, 'prometheus.yml'), config.replace('127.0.0.1:8080', new URL(server.address).host));
  writeFileSync(join(place, 'alerts.yml'), faster(readFileSync(RULES, 'utf8')));
  const port = await freePort();
  prometheus = spawn(
    'prometheus',
    [
      `--config.file=${join(place, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(place, 'series')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const body = (await answer.json()) as { status: string; error?: string; data: never };
    assert.equal(body.status, 'success', `${path}: ${body.error}`);
    return body.data;
  };
  const query = async (text: string) =>
    (await ask(`query?query=${encodeURIComponent(text)}`)) as { result: { value: [number, string] }[] };
  await eventually('Prometheus answers', () =>
    query('up').then(
      () => true,
      () => false,
    ),
  );
  await eventually(
    'it has scraped the server',
    async () => (await query('up == 1')).result.length,
    (count) => count === 1,
  );

  const queries = [...ruleQueries(), ...dashboardQueries()];
  assert.ok(queries.length > 40, 'the files name what is asked');
  for (const metric of metricsOf(queries))
    await eventually(`there is ${metric}`, async () => (await query(metric)).result.length > 0);
  for (const text of queries) await query(text);
  const firing = async () =>
    ((await ask('alerts')) as { alerts: { state: string; labels: { alertname: string } }[] }).alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => labels.alertname);
  assert.ok(!(await firing()).includes('TrackwayNotReady'));

  rmSync(data, { recursive: true });
  await eventually('the alarm is raised', firing, (names) =>
    ['TrackwayNotReady', 'TrackwayFilesGone'].every((name) => names.includes(name)),
  );
});
