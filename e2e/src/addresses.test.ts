import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import type { Operation } from '@trackway/contract/operation.ts';
import { BASES, OPERATIONS } from '@trackway/contract/operations.ts';
import { LIVE_PATH } from '@trackway/contract/resources/live.ts';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station } from './harness/station.ts';

/** Section 1 of the contract: the addresses, and who may call them. */
onEitherEngine('addresses', (running) => {
  let station: Station;
  before(async () => {
    station = await makeStation(running.api);
  });

  test('health and readiness need no token', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const { status, body } = await running.api('GET', path);
      assert.equal(status, 200);
      assert.deepEqual(body, { status: 'ok' });
    }
  });

  test('the OpenAPI documents name every operation of their version and no other', async () => {
    for (const version of ['v1', 'v2'] as const) {
      const { status, body } = await running.api('GET', `${BASES[version]}/openapi.json`);
      assert.equal(status, 200);
      assert.match(body.openapi, /^3\.1\./);
      const said = Object.entries(body.paths).flatMap(([path, methods]) =>
        Object.keys(methods as object).map((method) => `${method} ${path}`),
      );
      const due = Object.values(OPERATIONS as Record<string, Operation>)
        .filter(({ versions }) => versions.includes(version))
        .flatMap(({ method, path }) =>
          (method === 'PUT' ? ['put', 'patch'] : [method.toLowerCase()]).map((one) => `${one} ${path}`),
        );
      // Streams and web sockets are no operations, because their answers do not end.
      due.push(...(version === 'v1' ? [`get ${LIVE_PATH}`] : ['get /chasm/ws', 'get /chasm/ws/{device}']));
      // Devices report beside the versions, which the first one describes.
      const apps = ['reports', 'osmand/{key}', 'overland/{key}', 'owntracks/{key}'];
      apps.push('tts', 'chirpstack', 'sigfox', 'raw/{protocol}');
      if (version === 'v1') due.push('get /ingest/stream', ...apps.map((app) => `post /ingest/${app}`));
      assert.deepEqual(said.sort(), due.sort());
    }
  });

  test('the reference page and all its files come from here', async () => {
    const page = await running.api('GET', '/docs');
    assert.equal(page.status, 200);
    assert.match(page.headers['content-type']!, /text\/html/);
    const loads = /<(?:script|link|img)[^>]* (?:src|href)="([^"]+)"/g;
    const files = [...page.text.matchAll(loads)].map(([, file]) => file!);
    assert.ok(files.length > 3);
    for (const file of files) {
      assert.doesNotMatch(file, /^(https?:)?\/\//, 'nothing from elsewhere');
      assert.equal((await running.api('GET', new URL(file, `${running.api.address}/docs`).pathname)).status, 200, file);
    }
  });

  test('metrics answer this machine, or an admin where a proxy speaks', async () => {
    assert.equal((await running.api('GET', '/metrics')).status, 200);
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    assert.ok([401, 403].includes((await running.api('GET', '/metrics', { headers })).status));
    assert.equal((await running.api('GET', '/metrics', { headers, token: station.owner.token })).status, 403);
    assert.equal((await running.api('GET', '/metrics', { headers, token: station.admin.token })).status, 200);
    for (const name of ['x-real-ip', 'via', 'x-forwarded-proto', 'forwarded'])
      assert.equal((await running.api('GET', '/metrics', { headers: { [name]: 'x' } })).status, 403, name);
  });

  test('pages of any origin may call the API with a token of their own', async () => {
    const origin = { origin: 'https://example.org' };
    for (const path of ['/api/devices', '/v2/users/login', '/api/nothing']) {
      const preflight = await running.api('OPTIONS', path, {
        headers: {
          ...origin,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'authorization',
        },
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-origin'], '*');
      assert.match(preflight.headers['access-control-allow-headers']!, /authorization/i);
      for (const method of ['GET', 'POST', 'PUT', 'DELETE'])
        assert.match(preflight.headers['access-control-allow-methods']!, new RegExp(method));
      assert.equal(preflight.headers['access-control-allow-credentials'], undefined, 'no cookies');
    }
    for (const [path, status] of [
      ['/api/devices', 200],
      ['/api/devices/900000001', 404],
      ['/api/nothing', 404],
    ] as const) {
      const answer = await running.api('GET', path, { token: station.owner.token, headers: origin });
      assert.equal(answer.status, status);
      assert.equal(answer.headers['access-control-allow-origin'], '*');
    }
    assert.equal(
      (await running.api('GET', '/api/devices', { headers: origin })).headers['access-control-allow-origin'],
      '*',
    );
  });
});

onEitherEngine(
  'a server behind a proxy with HTTPS',
  (running) => {
    test('metrics need a token, also from this machine', async () => {
      assert.equal((await running.api('GET', '/metrics')).status, 403);
      assert.equal((await running.api('GET', '/metrics', { token: 'the token of the monitor' })).status, 200);
    });

    test('browsers get security headers', async () => {
      const { headers } = await running.api('GET', '/docs');
      assert.match(String(headers['strict-transport-security']), /max-age=31536000/);
      assert.match(String(headers['content-security-policy']), /object-src 'none'/);
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
      assert.match(String(headers['permissions-policy']), /geolocation=\(self\)/);
      assert.equal(headers['referrer-policy'], 'no-referrer');
    });
  },
  { TRACKWAY_PUBLIC_URL: 'https://track.example.com', TRACKWAY_METRICS_TOKEN: 'the token of the monitor' },
);
