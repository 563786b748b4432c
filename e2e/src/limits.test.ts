import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import test, { before } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from './harness/answer.ts';
import { onEitherEngine, onOneEngine } from './harness/engines.ts';
import { adminOf, logIn, makePerson, PASSWORD } from './harness/people.ts';
import { ADMIN } from './harness/server-process.ts';
import { makeStation, type Station, voiceOf } from './harness/station.ts';

const BODY_LIMIT = 102_400;

function checkAllowance({ headers }: Answer, limit: number): number {
  assert.equal(headers['x-ratelimit-limit'], String(limit));
  const remaining = Number(headers['x-ratelimit-remaining']);
  assert.ok(Number.isInteger(remaining) && remaining >= 0 && remaining < limit, `remaining ${remaining}`);
  const reset = Number(headers['x-ratelimit-reset']);
  const inSeconds = reset - Date.parse(headers.date!) / 1000;
  assert.ok(Number.isInteger(reset) && inSeconds > -2 && inSeconds <= 61, `reset in ${inSeconds} s`);
  return remaining;
}

/** Counts are reset each minute. If a run of requests crosses the reset, it is repeated after the next one. */
async function withinOneMinute(run: () => Promise<Answer[]>): Promise<Answer[]> {
  for (;;) {
    const answers = await run();
    const resets = new Set(answers.map(({ headers }) => headers['x-ratelimit-reset']));
    if (resets.size === 1) return answers;
    await pause(Math.max(...[...resets].map(Number)) * 1000 - Date.now());
  }
}

onEitherEngine(
  'limits as they are by default',
  (running) => {
    let station: Station;
    before(async () => {
      station = await makeStation(running.api);
    });

    test('the allowance is sent with every answer, whatever it is', async () => {
      const { owner, device, admin } = station;
      const { token } = owner;
      const json = { 'content-type': 'application/json' };
      const answers: [status: number, answer: Answer][] = [
        [200, await owner.get('/devices')],
        [204, await running.api('OPTIONS', '/api/devices')],
        [200, await owner.put(`/devices/${device}`, { name: 'x' })],
        [200, await running.api('GET', '/v2/users/me', { token })],
        [204, await owner.delete(`/devices/${device}/messages`)],
        [400, await owner.get('/devices?filter=5')],
        [400, await running.api('POST', '/api/devices', { token, raw: '{', headers: json })],
        [400, await running.api('GET', '/api/devices?filter=%ZZ', { token })],
        [401, await running.api('GET', '/api/devices')],
        [401, await running.api('GET', '/api/devices', { token: 'nonsense' })],
        [403, await owner.get('/users')],
        [404, await owner.get('/devices/900000001')],
        [404, await owner.get('/nothing')],
        [404, await running.api('GET', '/v2/nothing')],
        [413, await running.api('POST', '/api/devices', { token, raw: 'x'.repeat(BODY_LIMIT + 1), headers: json })],
        [
          415,
          await running.api('POST', '/api/devices', { token, raw: 'x', headers: { 'content-type': 'text/plain' } }),
        ],
        [422, await owner.post(`/devices/${device}/messages`, {})],
        [204, await admin.delete(`/users/${(await makePerson(running.api, admin, 'gone')).id}`)],
      ];
      for (const [status, answer] of answers) {
        assert.equal(answer.status, status, answer.text);
        checkAllowance(answer, 2000);
      }
    });

    test('each user has an allowance of their own', async () => {
      const { owner, other } = station;
      const [one, two] = await withinOneMinute(async () => [await owner.get('/devices'), await owner.get('/devices')]);
      assert.equal(checkAllowance(two!, 2000), checkAllowance(one!, 2000) - 1);
      const before = checkAllowance(await other.get('/devices'), 2000);
      await owner.get('/devices');
      assert.ok(checkAllowance(await other.get('/devices'), 2000) >= before - 1);
    });

    test('a body of 100 kB is taken, a longer one is 413 and does nothing', async () => {
      const { owner, device } = station;
      const path = `/api/devices/${device}/messages`;
      const ofSize = (size: number) => {
        const text = '{"message":"x","surplus":""}';
        return text.replace('""', `"${'s'.repeat(size - text.length)}"`);
      };
      const headers = { 'content-type': 'application/json' };
      const send = (size: number) => running.api('POST', path, { token: owner.token, raw: ofSize(size), headers });
      const count = async () => (await owner.get(`/devices/${device}/messages/count`)).body.count;
      const before = await count();
      assert.equal((await send(BODY_LIMIT)).status, 200);
      for (const size of [BODY_LIMIT + 1, BODY_LIMIT * 10]) {
        const { status, body } = await send(size);
        assert.equal(status, 413);
        assert.equal(body.error.name, 'PayloadTooLargeError');
      }
      assert.equal(
        (
          await running.api('POST', '/v2/users/personalAccessTokens', {
            token: owner.token,
            raw: ofSize(BODY_LIMIT + 1),
            headers,
          })
        ).status,
        413,
      );
      assert.equal(await chunked(`${running.api.address}${path}`, owner.token, ofSize(BODY_LIMIT + 1)), 413);
      assert.equal(await count(), before + 1);
    });

    test('a list takes so much and no more; the message says the bound', async () => {
      const { owner } = station;
      const path = '/users/me/geofences';
      const list = (filter: object) => owner.get(`${path}?filter=${encodeURIComponent(JSON.stringify(filter))}`);
      const nested = (levels: number): object => (levels === 0 ? { name: 'x' } : { and: [nested(levels - 1)] });
      const terms = (count: number) => ({ or: Array.from({ length: count }, (_, n) => ({ radius: n })) });
      const members = (count: number) => ({ radius: { inq: Array.from({ length: count }, (_, n) => n) } });
      for (const filter of [{ limit: 0 }, { limit: 10_000 }, { limit: 10_001 }, { limit: 2 ** 40 }, { skip: 2 ** 40 }])
        assert.equal((await list(filter)).status, 200, JSON.stringify(filter));
      for (const where of [nested(6), terms(90), members(1000)]) assert.equal((await list({ where })).status, 200);
      for (const [where, bound] of [
        [nested(9), /8/],
        [terms(101), /100/],
        [members(1001), /1 ?000/],
      ] as const) {
        const { status, body } = await list({ where });
        assert.equal(status, 400);
        assert.match(body.error.message, bound);
      }
    });
  },
  { TRACKWAY_RATE_LIMIT: '2000', TRACKWAY_LOGIN_RATE_LIMIT: '0' },
);

onOneEngine(
  'a limit of 20 requests a minute',
  (running) => {
    test('what is beyond is 429 with Retry-After, does nothing, and keeps to the one user', async () => {
      // Looking itself up would cost the admin one of its twenty requests.
      const token = await logIn(running.api, ADMIN.email, ADMIN.password);
      const admin = voiceOf(running.api, { id: 0, ...ADMIN, token });
      const owner = voiceOf(running.api, await makePerson(running.api, admin, 'busy'));
      let granted = 0;
      const answers = await withinOneMinute(async () => {
        const got: Answer[] = [];
        for (let n = 0; n < 25; n += 1) got.push(await owner.post(`/users/${owner.id}/geofences`, {}));
        granted += got.filter(({ status }) => status === 200).length;
        return got;
      });
      assert.deepEqual(
        answers.map(({ status }) => status),
        [...Array(20).fill(200), ...Array(5).fill(429)],
      );
      for (const refused of answers.slice(20)) {
        assert.equal(checkAllowance(refused, 20), 0);
        const seconds = Number(refused.headers['retry-after']);
        assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, String(seconds));
        assert.equal(refused.body.error.statusCode, 429);
      }
      const fences = (await admin.get(`/users/${owner.id}/geofences/count`)).body.count;
      assert.equal(fences, granted, 'refused requests made nothing');
      const nobody = await running.api('GET', '/api/devices');
      assert.equal(nobody.status, 401, 'the address has a count of its own');
    });
  },
  { TRACKWAY_RATE_LIMIT: '20' },
);

onOneEngine(
  'the limit of log-in routes',
  (running) => {
    test('an address may try to log in 12 times a minute', async () => {
      const routes = ['/api/users/login', '/v2/users/login', '/v2/users/refreshToken'];
      const answers = await withinOneMinute(async () => {
        const got: Answer[] = [];
        for (let n = 0; n < 15; n += 1) got.push(await running.api('POST', routes[n % 3]!, { body: {} }));
        return got;
      });
      assert.deepEqual(
        answers.map(({ status }) => status),
        [...Array(12).fill(400), ...Array(3).fill(429)],
      );
      for (const answer of answers) checkAllowance(answer, 12);
      assert.ok(Number(answers.at(-1)!.headers['retry-after']) >= 1);
      const forged = await running.api('POST', routes[0]!, { body: {}, headers: { 'x-forwarded-for': '203.0.113.7' } });
      assert.equal(forged.status, 429, 'nobody lends himself another address');
    });
  },
  { TRACKWAY_LOGIN_RATE_LIMIT: '12' },
);

onOneEngine(
  'the limit of log-in routes at an address that several people share',
  (running) => {
    test('wrong passwords of others do not block a user who signed in from there before', async () => {
      const admin = await adminOf(running.api);
      const known = await makePerson(running.api, admin, 'known');
      const body = { username: 'new', email: 'new@example.org', password: PASSWORD };
      await running.api('POST', '/api/users', { token: admin.token, body });
      const logInAs = (email: string) =>
        running.api('POST', '/api/users/login', { body: { email, password: PASSWORD } });
      const logInByBrowser = () =>
        fetch(`${running.api.address}/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: known.email, password: PASSWORD }),
        });
      let byBrowser = 0;
      const answers = await withinOneMinute(async () => {
        const got: Answer[] = [];
        for (let n = 0; n < 12; n += 1) got.push(await logInAs(`guess.${n}@example.org`));
        got.push(await logInAs('new@example.org'), await logInAs(known.email));
        byBrowser = (await logInByBrowser()).status;
        return got;
      });
      assert.deepEqual([...answers.slice(-2).map(({ status }) => status), byBrowser], [429, 200, 200]);
    });
  },
  { TRACKWAY_LOGIN_RATE_LIMIT: '12' },
);

onOneEngine(
  'the limit of devices',
  (running) => {
    test('a device may report so often a minute, by whatever protocol, and hinders no other', async () => {
      const { owner } = await makeStation(running.api);
      const [device, other] = [await owner.make('/devices'), await owner.make('/devices')];
      let batteryPct = 0;
      const report = (token: string) => {
        // No two are the same, since that would be one report that is sent again.
        batteryPct += 1;
        return running.api('POST', '/ingest/reports', { token, body: { points: [{ batteryPct }] } });
      };
      let granted = 0;
      const answers = await withinOneMinute(async () => {
        const got: Answer[] = [];
        for (let n = 0; n < 7; n += 1) got.push(await report(device.deviceKey));
        got.push(await running.api('GET', `/ingest/osmand/${device.deviceKey}?lat=1&lon=2`));
        granted += got.filter(({ status }) => status === 200).length;
        return got;
      });
      assert.deepEqual(
        answers.map(({ status }) => status),
        [...Array(5).fill(200), ...Array(3).fill(429)],
      );
      for (const answer of answers) checkAllowance(answer, 5);
      for (const refused of answers.slice(5)) {
        const seconds = Number(refused.headers['retry-after']);
        assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, String(seconds));
      }
      assert.equal((await report(other.deviceKey)).status, 200);
      const { count } = (await owner.get(`/devices/${device.id}/points/count`)).body;
      assert.equal(count, granted, 'what was refused is not stored');
    });
  },
  { TRACKWAY_INGEST_RATE_LIMIT: '5' },
);

async function chunked(address: string, token: string, text: string): Promise<number> {
  const outgoing = request(address, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
  });
  outgoing.on('error', () => {});
  outgoing.end(text);
  const [incoming] = await once(outgoing, 'response');
  incoming.resume();
  return incoming.statusCode;
}

onOneEngine(
  'behind a proxy',
  (running) => {
    const from = (forwarded: string) =>
      running.api('POST', '/api/users/login', { body: {}, headers: { 'x-forwarded-for': forwarded } });

    test('what a caller claims before the proxy gives it no other allowance, nor uses up that of another', async () => {
      const answers = await withinOneMinute(async () => {
        const got: Answer[] = [];
        for (let n = 0; n < 8; n += 1) got.push(await from(`203.0.113.${n}, 198.51.100.7`));
        for (let n = 0; n < 8; n += 1) got.push(await from(`2001:db8:0:${n}::1, 2001:db8:7:7:${n}::1`));
        got.push(await from('203.0.113.1'), await from('2001:db8:0:1::1'));
        return got;
      });
      const half = [...Array(5).fill(400), ...Array(3).fill(429)];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [...half, ...half, 400, 400],
      );
    });
  },
  { TRACKWAY_LOGIN_RATE_LIMIT: '5', TRACKWAY_TRUST_PROXY: '1' },
);

onOneEngine(
  'failures of one address',
  (running) => {
    const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status);
    /** Ten failures in a minute, then what `also` does, in the same minute. */
    async function tenThen(fail: (n: number) => Promise<Answer>, also: () => Promise<Answer[]>): Promise<Answer[]> {
      for (;;) {
        const minute = () => Math.floor(Date.now() / 60_000);
        const began = minute();
        for (let n = 0; n < 10; n += 1) await fail(n);
        const answers = await also();
        if (minute() === began) return answers;
      }
    }
    const isNotified = ({ status, headers }: Answer) => status === 429 && Number(headers['retry-after']) >= 1;

    test('wrong keys and identifiers are refused after ten, but not devices that reported from there', async () => {
      const { owner } = await makeStation(running.api);
      const { deviceKey } = (await owner.post('/devices', { name: 'good' })).body;
      const report = (key: string, raw = '{"points":[]}') =>
        running.api('POST', '/ingest/reports', { token: key, raw, headers: { 'content-type': 'application/json' } });
      // Phones get plain text.
      const phone = async (path: string, body?: string): Promise<Answer> => {
        const method = body === undefined ? 'GET' : 'POST';
        const answer = await fetch(`${running.api.address}/ingest/${path}`, { method, body });
        const headers = Object.fromEntries(answer.headers);
        return { status: answer.status, headers, text: await answer.text(), body: undefined };
      };
      const osmand = (query: string) => phone(`osmand${query}`);
      assert.equal((await report(deviceKey)).status, 200);
      const answers = await tenThen(
        async (n) => {
          // What is wrong in the body is not looked at.
          const answer = n % 2 === 0 ? await report(`guess ${n}`, '{{{') : await osmand(`?id=35${n}&lat=1&lon=2`);
          assert.ok([401, 404, 429].includes(answer.status), answer.text);
          return answer;
        },
        async () => [
          await report('one more'),
          await osmand('?id=35999&lat=1&lon=2'),
          await osmand('/one-more?lat=1&lon=2'),
          await phone('owntracks', 'x'.repeat(100_000)),
          await report(deviceKey),
        ],
      );
      assert.deepEqual(statusesOf(answers), [429, 429, 429, 429, 200]);
      assert.ok(answers.slice(0, 4).every(isNotified));
      assert.equal((await owner.get('/devices')).status, 200, 'people are not concerned');
    });

    test('addresses that do not exist are refused after ten', async () => {
      const unknown = (n: number) => running.api('GET', `/api/nothing/${n}`);
      const [more, known] = await tenThen(unknown, async () => [
        await unknown(11),
        await running.api('GET', '/api/users/me'),
      ]);
      assert.ok(isNotified(more!), more!.text);
      assert.equal(known!.status, 401);
    });
  },
  { TRACKWAY_FAILURE_LIMIT: '10' },
);
