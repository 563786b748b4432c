import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { onOneEngine, type Running } from './harness/engines.ts';
import { makeStation, type Voice } from './harness/station.ts';

/** What is wrong in a report to our own endpoint is answered as the API answers. */

function declare(running: Running): void {
  let owner: Voice;
  let device: Awaited<ReturnType<Voice['client']['createDevice']>>;
  before(async () => {
    ({ owner } = await makeStation(running.api));
    device = await owner.client.createDevice({ body: { name: 'van' } });
  });

  const send = (raw: string | Buffer, { key = device.deviceKey, more = {} } = {}) =>
    running.api('POST', '/ingest/reports', {
      token: key,
      raw,
      headers: { 'content-type': 'application/json', ...more },
    });
  const pointAt = (minute: number, lat = 50) => ({
    timestamp: Date.now() - minute * 60_000,
    location: { lat, lng: 8 },
  });

  test('what is right, in part, or known', async () => {
    assert.equal((await send(JSON.stringify({ points: [pointAt(9)] }))).body.accepted, 1);
    const part = await send(JSON.stringify({ points: [pointAt(7), pointAt(7, 91)] }));
    assert.equal(part.body.quarantined.length, 1);
    const again = JSON.stringify({ points: [pointAt(5)] });
    assert.equal((await send(again)).body.duplicates, 0);
    assert.equal((await send(again)).body.duplicates, 1);
  });

  test('a body that cannot be read', async () => {
    const statuses = {
      '': 400,
      ' ': 400,
      '{': 400,
      '[]': 400,
      '"text"': 400,
      '{"points": 7}': 400,
      '{"__proto__": 1}': 200,
    };
    for (const [text, status] of Object.entries(statuses)) {
      const answer = await send(text);
      assert.equal(answer.status, status, text);
      if (status === 400) assert.equal(answer.body.error.statusCode, 400, text);
    }
    assert.match((await send('{')).body.error.message, /not valid JSON: line 1/);
    assert.equal((await send(Buffer.from([0x22, 0xff, 0x22]))).status, 400);
    const many = JSON.stringify({ points: Array.from({ length: 20_000 }, () => 0) });
    assert.equal((await send(many)).status, 413);
    for (const type of ['text/plain', 'application/jsonp', 'application/json; charset=utf-16'])
      assert.equal((await send('{}', { more: { 'content-type': type } })).status, 415, type);
    const form = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    assert.equal((await send('lat=50&lng=8', { more: form })).body.accepted, 1);
  });

  test('a key that is wrong, in another form, or missing', async () => {
    for (const key of ['no such key', 'Basic eA==', '']) assert.equal((await send('{}', { key })).status, 401, key);
    for (const scheme of ['Bearer', 'bearer'])
      assert.equal((await send('{}', { key: `${scheme} ${device.deviceKey}` })).status, 200);
    const basic = `Basic ${Buffer.from(`me:${device.deviceKey}`).toString('base64')}`;
    assert.equal((await send('{}', { key: basic })).status, 200);
  });

  test('a request that names itself finds its name in the answer', async () => {
    const more = { 'x-request-id': 'mine-1', 'content-type': 'application/json; charset=utf-8' };
    assert.equal((await send('{}', { more })).headers['x-request-id'], 'mine-1');
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
    test('are refused, with the time to try again', async () => {
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
