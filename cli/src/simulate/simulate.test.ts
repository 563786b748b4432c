import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createClient } from '@trackway/client/client.ts';
import { eventually } from '@trackway/server/testing/eventually.ts';
import type { Transmission } from '@trackway/simulator/report.ts';
import { Failure, UsageError } from '../command.ts';
import { asAdmin, ENDS_WITH_PARENT, serve, signedIn, tempFolder } from '../testing/trackway.ts';
import { KEYS_FILE, simulatedDevices } from './devices.ts';
import { type HttpRoadOptions, httpRoad } from './http-road.ts';
import { readOptions } from './options.ts';
import { showProgress, summary } from './progress.ts';
import { ReportSender, type SenderOptions } from './send.ts';

interface ReceivedRequest {
  readonly key: string;
  readonly body: { points: { timestamp: number }[] };
}

/** A server that knows devices and takes their reports; `rule` may answer otherwise. */
async function listen(
  t: TestContext,
  rule: (requests: ReceivedRequest, response: ServerResponse) => boolean = () => false,
): Promise<{ url: string; requests: ReceivedRequest[]; devices: { id: number; name: string; key: string }[] }> {
  const requests: ReceivedRequest[] = [];
  const devices: { id: number; name: string; key: string }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const say = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
    const rotated = /^\/api\/devices\/(\d+)\/key$/.exec(request.url!);
    if (request.url === '/ingest/reports') {
      const one = { key: request.headers.authorization!, body: JSON.parse(text) };
      if (rule(one, response)) return;
      requests.push(one);
      say(200, { accepted: one.body.points.length, duplicates: 0, quarantined: [], messages: [] });
    } else if (rotated) {
      const device = devices.find(({ id }) => id === Number(rotated[1]))!;
      device.key += '+';
      say(200, { ...device, deviceKey: device.key });
    } else if (request.method === 'POST') {
      const id = devices.length + 1;
      devices.push({ id, name: JSON.parse(text).name, key: `key ${id}` });
      say(200, { id, deviceKey: `key ${id}` });
    } else say(200, devices);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, devices };
}

const options = (flags: Record<string, string>, env: NodeJS.ProcessEnv = { TRACKWAY_TOKEN: 'abc' }) =>
  readOptions({ args: [], flags }, Date.UTC(2026, 0, 2), env);

test('the flags are parsed and validated', () => {
  const read = options({ devices: '50', rate: '100', duration: '10m', 'speed-up': '60', profile: 'nasty' });
  assert.equal(read.url, 'http://127.0.0.1:8080');
  assert.equal(read.durationMs, 600_000);
  // 50 devices, 60 times faster than life, 100 positions a second.
  assert.deepEqual(read.profile.intervalsS, [30]);
  assert.equal(read.startAt, Date.UTC(2026, 0, 2) - 59 * 600_000);
  assert.notEqual(options({ seed: 'harbour' }).seed, options({ seed: 'port' }).seed);
  const refused: Record<string, string>[] = [
    { devices: '0' },
    { devices: 'many' },
    { rate: '-1' },
    { profile: 'evil' },
    { duration: 'long' },
    { start: 'once' },
    { devices: '1', rate: '1000' },
    { url: 'ftp://127.0.0.1' },
  ];
  for (const flags of refused) assert.throws(() => options(flags), UsageError, JSON.stringify(flags));
  assert.throws(() => options({}, {}), Failure);
});

test('a server on another machine requires --yes-remote', () => {
  for (const url of [
    'https://track.example.com',
    'http://10.0.0.1',
    'http://localhost.example.com',
    'http://0.0.0.0',
  ]) {
    assert.throws(() => options({ url }), /--yes-remote/);
    assert.equal(options({ url, 'yes-remote': 'true' }).url, url);
  }
  for (const url of ['http://localhost:1', 'http://127.9.9.9', 'http://[::1]:8080', 'http://127.1']) {
    assert.equal(options({ url: `${url}/` }).url, url);
  }
});

const transmission = (device: number, timestamp: number): Transmission => ({
  device,
  sentAt: timestamp,
  points: [{ timestamp, locationType: 'gps', batteryPct: 50, mode: 0 }],
  readings: [],
  isRepeated: false,
});

function* now(all: Iterable<Transmission>) {
  for (const transmission of all) yield { transmission, at: 0 };
}

const senderFor = (
  url: string,
  devices: number,
  { timeoutMs, ...more }: Partial<SenderOptions> & { timeoutMs?: number; devices?: HttpRoadOptions['devices'] } = {},
) =>
  new ReportSender({
    road: httpRoad({
      url,
      devices: more.devices ?? Array.from({ length: devices }, (_, i) => ({ key: `key ${i}` })),
      ...(timeoutMs !== undefined && { timeoutMs }),
    }),
    concurrency: 8,
    signal: new AbortController().signal,
    backOffMs: [1, 4],
    ...more,
  });

test('each device repeats until it is acknowledged, and keeps its order', async (t) => {
  let asked = 0;
  const { url, requests } = await listen(t, (_, response) => {
    asked++;
    // One answer in five is lost, one in five is a failure.
    if (asked % 5 === 0) response.destroy();
    else if (asked % 5 === 1) response.writeHead(503).end();
    return asked % 5 < 2;
  });
  const sender = senderFor(url, 10);
  await sender.sendAll(now(Array.from({ length: 500 }, (_, i) => transmission(i % 10, i))));
  assert.equal(sender.tally.acknowledged, 500);
  assert.equal(sender.tally.positions, 500);
  assert.ok(sender.tally.failed > 100);
  for (let device = 0; device < 10; device++) {
    const times = requests.filter(({ key }) => key === `key ${device}`).map(({ body }) => body.points[0]!.timestamp);
    assert.deepEqual(
      times,
      Array.from({ length: 50 }, (_, i) => i * 10 + device),
    );
  }
});

test('concurrent requests and buffered transmissions are limited', async (t) => {
  let [open, most, drawn] = [0, 0, 0];
  const held: ServerResponse[] = [];
  const { url } = await listen(t, (_, response) => {
    most = Math.max(most, ++open);
    held.push(response);
    response.on('close', () => open--);
    return true;
  });
  const stopping = new AbortController();
  const sender = senderFor(url, 5000, { concurrency: 4, signal: stopping.signal, graceMs: 50 });
  const endless = (function* () {
    for (;;) yield { transmission: transmission(drawn++ % 5000, 0), at: 0 };
  })();
  const ended = sender.sendAll(endless);
  await eventually('four are under way', () => held.length === 4);
  // As many again follow when these are answered: by then all that could come at the same time has come.
  for (const response of held.slice(0, 4)) response.writeHead(200).end('{}');
  await eventually('four more are under way', () => held.length === 8);
  assert.equal(most, 4);
  assert.ok(drawn <= 4 * 16 + 1 + 4, `${drawn} taken`);
  stopping.abort();
  await ended;
  assert.equal(sender.tally.acknowledged, 4);
  assert.equal(sender.tally.abandoned, sender.tally.sent - 4);
});

test('a rejection is final, and an unknown key is renewed once', async (t) => {
  const { url, requests } = await listen(t, ({ key, body }, response) => {
    const status = key === 'old' ? 401 : body.points[0]!.timestamp === 1 ? 413 : 200;
    if (status !== 200) response.writeHead(status).end('{}');
    return status !== 200;
  });
  const device = {
    key: 'old',
    async renew() {
      device.key = 'new';
    },
  };
  const sender = senderFor(url, 0, { devices: [device, { key: 'old' }] });
  await sender.sendAll(now([transmission(0, 0), transmission(0, 1), transmission(1, 2), transmission(0, 3)]));
  assert.deepEqual(
    requests.map(({ key, body }) => [key, body.points[0]!.timestamp]),
    [
      ['new', 0],
      ['new', 3],
    ],
  );
  assert.equal(sender.tally.refused, 2);
  assert.match(summary(sender.tally), /2 acknowledged with 2 positions\.\nRejected: 2\./);
});

test('devices are created once and found again, and only the owner can read their keys', async (t) => {
  const { url, devices } = await listen(t);
  const folder = await tempFolder();
  const home = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(home));
  const client = createClient({ url, token: 'abc' });
  const wanted = [{ name: 'Sim 001' }, { name: 'Sim 002' }];
  const keysOf = async (list = wanted) => (await simulatedDevices(client, url, list)).map(({ key }) => key);
  assert.deepEqual(await keysOf(), ['key 1', 'key 2']);
  assert.deepEqual(await keysOf([...wanted, { name: 'Sim 003' }]), ['key 1', 'key 2', 'key 3']);
  assert.equal(devices.length, 3);
  assert.equal((await stat(KEYS_FILE)).mode & 0o777, 0o600);

  // Without the file they get new keys.
  process.chdir(await tempFolder());
  assert.deepEqual(await keysOf(), ['key 1+', 'key 2+']);
  const [first] = await simulatedDevices(client, url, wanted);
  await first!.renew();
  assert.equal(JSON.parse(await readFile(KEYS_FILE, 'utf8'))[url][1], 'key 1++');
});

test('an unreachable server is reported in one sentence', async (t) => {
  const folder = await tempFolder();
  const home = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(home));
  const url = 'http://127.0.0.1:9';
  await assert.rejects(simulatedDevices(createClient({ url }), url, [{ name: 'Sim 001' }]), Failure);
});

test('progress is a line at intervals, or one changing line in a terminal', async () => {
  const tally = { ...senderFor('', 0).tally, sent: 7, acknowledged: 5 };
  for (const isTTY of [false, true]) {
    let said = '';
    const progress = showProgress(tally, { isTTY, write: (text: string) => (said += text) }, 10);
    await eventually('progress is shown', () => /sent 7, acknowledged 5/.test(said));
    progress.stop();
    assert.equal(said.includes('\n'), !isTTY);
  }
});

/** The command as a process of its own, before it is one of the list as well. */
function simulate(cwd: string, words: readonly string[]) {
  const script = `
    const { command } = await import(${JSON.stringify(join(import.meta.dirname, 'simulate.ts'))});
    const { parseArguments } = await import(${JSON.stringify(join(import.meta.dirname, '../parse-arguments.ts'))});
    process.exitCode = await command.run(parseArguments(${JSON.stringify(words)}, command.describe([])));`;
  const child = spawn(process.execPath, [...ENDS_WITH_PARENT, '--input-type=module', '-e', script], {
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (out += text));
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number, out })) };
}

test('the whole command: a number of transmissions, and the same ones again', async (t) => {
  const { url, requests, devices } = await listen(t);
  const folder = await tempFolder();
  const words = ['--url', url, '--token', 'abc', '--devices', '5', '--count', '40', '--seed', 'x'];
  const more = ['--speed-up', '100000', '--start', '2026-04-15T09:00:00Z', '--profile', 'nasty'];
  const first = await simulate(folder, [...words, ...more]).ended;
  assert.equal(first.code, 0, first.out);
  assert.match(first.out, /Sent 40 transmissions; 40 acknowledged/);
  const sorted = () =>
    requests
      .splice(0)
      .map((one) => JSON.stringify(one))
      .sort();
  const before = sorted();
  assert.equal(before.length, 40);
  await simulate(folder, [...words, ...more]).ended;
  assert.deepEqual(sorted(), before);
  assert.deepEqual(devices.map(({ name }) => name).sort(), ['Sim 001', 'Sim 002', 'Sim 003', 'Sim 004', 'Sim 005']);
});

test('the whole command: Ctrl+C ends it with a summary', async (t) => {
  const { url, requests } = await listen(t);
  const { child, ended } = simulate(await tempFolder(), [
    '--url',
    url,
    '--token',
    'abc',
    '--devices',
    '20',
    '--rate',
    '100',
  ]);
  t.after(() => child.kill('SIGKILL'));
  await eventually('some are sent', () => requests.length >= 30 || child.exitCode !== null);
  child.kill('SIGINT');
  const { code, out } = await ended;
  assert.equal(code, 0, out);
  assert.match(out, /Sent \d+ transmissions; \d+ acknowledged/);
});

test('the whole command: trackers of a protocol report to a server over TCP, and are found again', async (t) => {
  const server = await serve(t, asAdmin);
  const [, port] = await server.said.waitFor(/Trackers +port (\d+)/);
  const { client, token } = await signedIn(server.address);
  const folder = await tempFolder();
  const words = ['--url', server.address, '--token', token, '--trackers-port', port!, '--protocol', 'gt06'];
  const few = ['--devices', '3', '--count', '30', '--speed-up', '1000'];
  for (let run = 0; run < 2; run++) {
    const { code, out } = await simulate(folder, [...words, ...few]).ended;
    assert.equal(code, 0, out);
    assert.match(out, /Sent 30 transmissions; 30 acknowledged/);
  }
  const devices = await client.listDevices({});
  assert.deepEqual(devices.map(({ name }) => name).sort(), ['Sim 001', 'Sim 002', 'Sim 003']);
  for (const device of devices) {
    assert.match(String(device.imei), /^\d{15}$/);
    assert.ok(device.supportedCommands?.includes('position'), JSON.stringify(device));
    assert.ok((await client.countPoints({ id: device.id! })).count > 0);
  }
});
