import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { onOneEngine, type Running } from './harness/engines.ts';
import { makeStation, type Voice } from './harness/station.ts';

/** The usual report takes a shorter way through the server. It must get the answer that it gets on the ordinary one. */

/** Without proxies in front nobody believes it, and with it a request is not the usual one. */
const ORDINARY = { 'x-forwarded-for': '192.0.2.1' };

/** What differs by its nature: times and names of requests; and whether a connection is kept after a body like that. */
const DIFFERENT = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'connection', 'keep-alive'];

function comparable({ status, text, headers }: Awaited<ReturnType<Running['api']>>) {
  const named = Object.entries(headers).map(([name, value]) => [name, DIFFERENT.includes(name) ? 'any' : value]);
  return { status, text, headers: { ...Object.fromEntries(named), connection: 'any', 'keep-alive': 'any' } };
}

function declare(running: Running): void {
  let owner: Voice;
  let device: Awaited<ReturnType<Voice['client']['createDevice']>>;
  before(async () => {
    ({ owner } = await makeStation(running.api));
    device = await owner.client.createDevice({ body: { name: 'van' } });
  });

  /** Both ways, each with a body of its own. */
  async function both(bodyOf: (way: number) => string | Buffer, { key = device.deviceKey, more = {} } = {}) {
    const answers = [];
    for (const [way, headers] of [{}, ORDINARY].entries())
      answers.push(
        await running.api('POST', '/ingest/reports', {
          token: key,
          raw: bodyOf(way),
          headers: { 'content-type': 'application/json', ...more, ...headers },
        }),
      );
    const [plain, ordinary] = answers.map(comparable);
    assert.deepEqual(plain, ordinary);
    return answers[0]!;
  }
  const pointAt = (minute: number, lat = 50) => ({
    timestamp: Date.now() - minute * 60_000,
    location: { lat, lng: 8 },
  });
  const wrong = (text: string) => () => text;

  test('what is right, in part, or known', async () => {
    assert.equal((await both((way) => JSON.stringify({ points: [pointAt(9 - way)] }))).body.accepted, 1);
    const part = await both((way) => JSON.stringify({ points: [pointAt(7 - way), pointAt(7, 91)] }));
    assert.equal(part.body.quarantined.length, 1);
    const again = JSON.stringify({ points: [pointAt(5)] });
    await running.api('POST', '/ingest/reports', {
      token: device.deviceKey,
      raw: again,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal((await both(() => again)).body.duplicates, 1);
  });

  test('a body that cannot be read', async () => {
    for (const text of [
      '',
      ' ',
      '{',
      '[]',
      '"text"',
      '{"points": 7}',
      '{"__proto__": 1}',
      '{"constructor": {"prototype": 1}}',
    ])
      await both(wrong(text));
    assert.equal((await both(wrong('{'))).status, 400);
    assert.equal((await both(() => Buffer.from([0x22, 0xff, 0x22]))).status, 400);
    const many = JSON.stringify({ points: Array.from({ length: 20_000 }, () => 0) });
    assert.equal((await both(wrong(many))).status, 413);
  });

  test('a key that is wrong, in another form, or missing', async () => {
    const said = wrong('{}');
    for (const key of ['no such key', `Bearer ${device.deviceKey}`, 'Basic eA==', ''])
      assert.ok([200, 401].includes((await both(said, { key })).status));
    assert.equal((await both(said, { key: `bearer ${device.deviceKey}` })).status, 200);
    const basic = `Basic ${Buffer.from(`me:${device.deviceKey}`).toString('base64')}`;
    assert.equal((await both(said, { key: basic })).status, 200);
  });

  test('a request that names itself finds its name in the answer', async () => {
    const more = { 'x-request-id': 'mine-1', 'content-type': 'application/json; charset=utf-8' };
    assert.equal((await both(wrong('{}'), { more })).headers['x-request-id'], 'mine-1');
  });
}

onOneEngine('plain reports', declare);
onOneEngine('plain reports that are counted', declare, {
  TRACKWAY_INGEST_RATE_LIMIT: '1000',
  TRACKWAY_RATE_LIMIT: '1000',
  TRACKWAY_PUBLIC_URL: 'https://track.example.org',
});
onOneEngine(
  'plain reports of a device that sends too many',
  (running) => {
    test('are refused, and told when to come again', async () => {
      const { owner } = await makeStation(running.api);
      const { deviceKey } = await owner.client.createDevice({ body: { name: 'van' } });
      let answer: Awaited<ReturnType<Running['api']>>;
      // A new minute may begin in between.
      do answer = await running.api('POST', '/ingest/reports', { token: deviceKey, body: {} });
      while (answer.status === 200);
      assert.equal(answer.status, 429);
      assert.equal(answer.headers['x-ratelimit-limit'], '2');
      assert.ok(Number(answer.headers['retry-after']) > 0);
    });
  },
  { TRACKWAY_INGEST_RATE_LIMIT: '2' },
);
