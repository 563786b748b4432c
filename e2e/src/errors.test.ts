import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import type { Ask } from './harness/api.ts';
import { onBothEngines } from './harness/engines.ts';
import { makeStation, type Station } from './harness/station.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Section 4 of the contract, row by row, in the formats of version 1 and version 2. */
onBothEngines('errors', (running) => {
  let station: Station;
  before(async () => {
    station = await makeStation(running.api);
  });
  const ask = (method: string, path: string, more: Ask = {}) =>
    running.api(method, path, { token: station.owner.token, ...more });

  test('wrong user or password', async () => {
    const { owner } = station;
    for (const body of [
      { email: owner.email, password: 'wrong' },
      { username: 'nobody', password: 'wrong' },
      { email: owner.email },
      { email: owner.email, password: '' },
    ]) {
      const one = await ask('POST', '/api/users/login', { body });
      assert.deepEqual(one.body, {
        error: { statusCode: 401, name: 'Error', message: 'login failed', code: 'LOGIN_FAILED' },
      });
      const two = await ask('POST', '/v2/users/login', { body });
      if (body.password) assert.deepEqual(two.body, { code: 401, message: 'login failed' });
      else assert.deepEqual(two.body, { code: 400, message: 'password is required' });
    }
  });

  test('log-in without username and email', async () => {
    for (const body of [{}, { password: 'x' }, { username: '', email: '', password: 'x' }, { username: null }]) {
      const one = await ask('POST', '/api/users/login', { body });
      assert.equal(one.status, 400);
      assert.equal(one.body.error.name, 'Error');
      assert.equal(one.body.error.code, 'USERNAME_EMAIL_REQUIRED');
      assert.equal((await ask('POST', '/v2/users/login', { body })).status, 400);
    }
    assert.equal((await ask('POST', '/api/users/login')).body.error.code, 'USERNAME_EMAIL_REQUIRED');
  });

  test('device or user unknown', async () => {
    const { admin } = station;
    const device = await ask('GET', '/api/devices/900000001/config');
    assert.deepEqual(device.body, {
      error: { statusCode: 404, name: 'Error', message: 'Unknown "device" id "900000001".', code: 'MODEL_NOT_FOUND' },
    });
    const user = await admin.get('/users/900000001/geofences');
    assert.deepEqual(user.body, {
      error: { statusCode: 404, name: 'Error', message: 'Unknown "user" id "900000001".', code: 'MODEL_NOT_FOUND' },
    });
    const two = await ask('GET', '/v2/users/900000001/plans/summary', { token: admin.token });
    assert.deepEqual(two.body, { code: 404, message: 'Unknown "user" id "900000001".' });
  });

  test('child unknown', async () => {
    const { device, owner } = station;
    for (const [collection, name] of [
      ['gatewayReadings', 'gatewayReading'],
      ['readings', 'reading'],
      ['points', 'point'],
      ['notificationTriggers', 'notificationTrigger'],
      ['messages', 'message'],
      ['shares', 'share'],
    ]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? {} : undefined;
        const answer = await ask(method, `/api/devices/${device}/${collection}/501`, { body });
        assert.equal(answer.status, 404);
        assert.deepEqual(answer.body, {
          error: { statusCode: 404, name: 'Error', message: `No instance with id 501 found for ${name}` },
        });
      }
    }
    const fence = await ask('GET', `/api/users/${owner.id}/geofences/501`);
    assert.equal(fence.body.error.message, 'No instance with id 501 found for geofence');
  });

  test('unknown path', async () => {
    const { device } = station;
    for (const path of [
      '/api',
      '/api/',
      '/api/nothing',
      `/api/devices/${device}/nothing`,
      '/nothing',
      '/v1/users/me',
      '/api/users/me/geofences/1/2',
      '/api//devices',
      '/api/users/somebody/geofences',
      '/api/users/nobody',
    ]) {
      const answer = await ask('GET', path);
      assert.equal(answer.status, 404, path);
      assert.equal(answer.body.error.name, 'Error');
    }
    const two = await ask('GET', '/v2/nothing');
    assert.equal(two.status, 404);
  });

  test('a known path with another method, whatever the method, and without a token', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/api/devices', 'GET, HEAD, POST, OPTIONS'],
      ['DELETE', '/api/users/me/plans/summary', 'GET, HEAD, OPTIONS'],
      ['GET', '/api/users/login', 'POST, OPTIONS'],
      ['HEAD', '/api/devices/5/setupSqsForwarding', 'GET, POST, OPTIONS'],
      ['TRACE', '/api/devices', 'GET, HEAD, POST, OPTIONS'],
      ['QUERY', '/api/devices', 'GET, HEAD, POST, OPTIONS'],
      ['PROPFIND', '/v2/users/login', 'POST, OPTIONS'],
      ['POST', '/v2/users/plans/summary', 'GET, HEAD, OPTIONS'],
      ['DELETE', '/api/devices/count', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const { status, headers, body } = await running.api(method, path);
      assert.deepEqual([status, headers.allow], [405, allow], `${method} ${path}`);
      if (method !== 'HEAD' && path.startsWith('/api')) assert.equal(body.error.name, 'MethodNotAllowedError');
    }
    const options = await running.api('OPTIONS', '/api/devices/5/config');
    assert.deepEqual([options.status, options.headers.allow], [204, 'GET, HEAD, PUT, PATCH, OPTIONS']);
    assert.equal((await running.api('GET', '/api/nothing')).status, 404);
  });

  test('paths are matched in any case; ids and names keep theirs', async () => {
    const { device } = station;
    assert.equal((await ask('GET', `/API/Devices/${device}/CONFIG`)).body.deviceId, device);
    assert.equal((await ask('GET', '/V2/users/me')).status, 200);
    assert.equal((await ask('GET', '/V2/users/nobody')).body.code, 404);
  });

  test('every answer has the id of its request', async () => {
    const own = await ask('GET', '/api/users/me', { headers: { 'x-request-id': 'my-1.a_B' } });
    assert.equal(own.headers['x-request-id'], 'my-1.a_B');
    const bad = await ask('GET', '/api/nothing', { headers: { 'x-request-id': 'no spaces' } });
    assert.match(String(bad.headers['x-request-id']), /^[\w-]{20}$/);
  });

  test('words that mean nothing are refused where the caller wants that', async () => {
    const headers = { prefer: 'handling=strict' };
    const query = await ask('GET', '/api/users/me/geofences?filtre={}', { headers });
    assert.equal(query.status, 400);
    assert.match(query.body.error.message, /Did you mean filter\?/);
    const body = { nmae: 'Yard' };
    const field = await ask('POST', '/api/users/me/geofences', { headers, body });
    assert.deepEqual([field.status, field.body.error.details.codes], [422, { nmae: ['unknown'] }]);
    const good = await ask('GET', '/api/users/me/geofences?filter[limit]=1', { headers });
    assert.deepEqual([good.status, good.headers['preference-applied']], [200, 'handling=strict']);
    assert.equal((await ask('GET', '/api/users/me/geofences?filtre={}')).status, 200);
  });

  test('a change may depend on what was read', async () => {
    const { id } = (await ask('POST', '/api/users/me/geofences', { body: { name: 'Yard' } })).body;
    const path = `/api/users/me/geofences/${id}`;
    const tag = (await ask('GET', path)).headers.etag!;
    const put = (name: string, match: string) => ask('PUT', path, { body: { name }, headers: { 'if-match': match } });
    assert.equal((await put('Barn', tag)).body.name, 'Barn');
    const late = await put('Shed', tag);
    assert.deepEqual([late.status, late.body.error.name], [412, 'PreconditionFailedError']);
    assert.equal((await ask('DELETE', path, { headers: { 'if-match': tag } })).status, 412);
    assert.equal((await put('Shed', '*')).body.name, 'Shed');
    const again = (await ask('GET', path)).headers.etag!;
    assert.equal((await ask('DELETE', path, { headers: { 'if-match': again } })).status, 204);
  });

  test('a list that was cut says where it goes on, and how long it is', async () => {
    const made: number[] = [];
    for (const name of ['a', 'b', 'c'])
      made.push((await ask('POST', '/api/users/me/geofences', { body: { name } })).body.id);
    const whole = await ask('GET', '/api/users/me/geofences');
    assert.deepEqual([whole.headers['x-total-count'], whole.headers.link], ['3', undefined]);
    for (const query of ['filter={"limit":2,"order":"name"}', 'filter[limit]=2&filter[order]=name']) {
      const first = await ask('GET', `/api/users/me/geofences?${encodeURI(query).replaceAll('[', '%5B')}`);
      assert.deepEqual([first.body.length, first.headers['x-total-count']], [2, '3']);
      const next = /^<(.+)>; rel="next"$/.exec(String(first.headers.link))![1]!;
      const rest = await ask('GET', next);
      assert.deepEqual(
        rest.body.map(({ name }: { name: string }) => name),
        ['c'],
      );
      assert.deepEqual([rest.headers['x-total-count'], rest.headers.link], ['3', undefined]);
    }
    for (const id of made) await ask('DELETE', `/api/users/me/geofences/${id}`);
    const { device } = station;
    const old = await ask('GET', `/api/devices/${device}/points?filter={"where":{"timestamp":{"gt":"2020-01-01"}}}`);
    assert.ok(Date.parse(String(old.headers['x-range-from'])) > Date.now() - 91 * 86_400_000);
    assert.equal(old.headers['x-total-count'], undefined);
  });

  test('body not JSON, or not an object', async () => {
    const { device } = station;
    const path = `/api/devices/${device}/gatewayReadings`;
    for (const raw of [
      '{',
      '{"type":',
      'type=temp',
      '{type: 1}',
      "{'type': 1}",
      '{"a":1}}',
      '\u0000',
      '{"a":01}',
      'undefined',
      '{"a":NaN}',
      '<x/>',
    ]) {
      const answer = await ask('POST', path, { raw, headers: JSON_TYPE });
      assert.equal(answer.status, 400, raw);
      assert.equal(answer.body.error.name, 'SyntaxError', raw);
      assert.equal((await ask('POST', '/v2/users/personalAccessTokens', { raw, headers: JSON_TYPE })).status, 400);
    }
    for (const raw of ['[]', '[{"type":"temp","value":1}]', '"text"', '1', 'true', 'null']) {
      for (const [method, at] of [
        ['POST', path],
        ['PUT', `/api/devices/${device}/config`],
        ['POST', '/api/users/login'],
      ] as const) {
        const answer = await ask(method, at, { raw, headers: JSON_TYPE });
        assert.equal(answer.status, 400, raw);
        assert.equal(answer.body.error.name, 'Error', raw);
      }
    }
    assert.deepEqual((await ask('GET', path)).body, []);
  });

  test('required field missing, wrong type, out of range, bad date', async () => {
    const { device } = station;
    const path = `/api/devices/${device}/gatewayReadings`;
    const missing = await ask('POST', path, { body: { type: 'temp' } });
    assert.equal(missing.status, 422);
    assert.equal(missing.body.error.name, 'ValidationError');
    assert.deepEqual(missing.body.error.details, {
      context: 'gatewayReading',
      codes: { value: ['presence'] },
      messages: { value: ["can't be blank"] },
    });
    for (const body of [{}, { type: null, value: null }, undefined]) {
      const answer = await ask('POST', path, { body });
      assert.deepEqual(answer.body.error.details.codes, { type: ['presence'], value: ['presence'] });
    }
    const several = await ask('POST', path, { body: { type: '', value: 1, rssi: 'x', timestamp: 'x', relatedId: -1 } });
    assert.deepEqual(Object.keys(several.body.error.details.codes).sort(), ['relatedId', 'rssi', 'timestamp', 'type']);
    for (const field of ['type', 'rssi', 'timestamp', 'relatedId'])
      assert.match(several.body.error.message, new RegExp(`\`${field}\``));
    const two = await ask('POST', '/v2/users/personalAccessTokens', { body: { description: 'x', ttl: 'soon' } });
    assert.equal(two.status, 400);
    assert.match(two.body.message, /ttl/);
    assert.deepEqual((await ask('GET', path)).body, []);
  });

  test('a filter that is wrong is 400, and the message names the part', async () => {
    const path = `/api/users/${station.owner.id}/geofences`;
    const wrong: [filter: string, named: RegExp][] = [
      ['[]', /filter/i],
      ['5', /filter/i],
      ['"x"', /filter/i],
      ['{', /filter/i],
      ['{"where":[]}', /where/],
      ['{"where":5}', /where/],
      ['{"where":{"and":{}}}', /and/],
      ['{"where":{"radius":{"gtt":5}}}', /gtt|radius/],
      ['{"where":{"radius":{"between":[1]}}}', /between/],
      ['{"where":{"radius":{"inq":5}}}', /inq/],
      ['{"where":{"lastChecked":{"gt":"someday"}}}', /lastChecked|date/],
      ['{"order":5}', /order/],
      ['{"order":"radius SIDEWAYS"}', /order|SIDEWAYS/],
      ['{"limit":-1}', /limit/],
      ['{"limit":"x"}', /limit/],
      ['{"limit":1.5}', /limit/],
      ['{"skip":-1}', /skip/],
      ['{"skip":{}}', /skip/],
    ];
    for (const [filter, named] of wrong) {
      const answer = await ask('GET', `${path}?filter=${encodeURIComponent(filter)}`);
      assert.equal(answer.status, 400, filter);
      assert.equal(answer.body.error.name, 'Error');
      assert.match(answer.body.error.message, named, filter);
    }
    assert.equal((await ask('GET', `${path}/count?where=5`)).status, 400);
    assert.equal((await ask('GET', `${path}/count?where=%7B`)).status, 400);
  });

  test('a media type that is neither JSON nor a form is 415', async () => {
    const { device } = station;
    const path = `/api/devices/${device}/messages`;
    const raw = '{"message":"x"}';
    for (const type of [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'text/json',
      'application/jsonp',
      'nonsense',
      'application/json5',
      '*/*',
      '',
    ]) {
      const answer = await ask('POST', path, { raw, headers: { 'content-type': type } });
      assert.equal(answer.status, 415, type);
    }
    assert.equal((await ask('POST', path, { raw })).status, 415, 'a body with no type');
    assert.deepEqual((await ask('GET', path)).body, []);
    for (const type of [
      'application/json',
      'APPLICATION/JSON',
      'application/json;charset=UTF-8',
      'application/json; odata=verbose',
    ])
      assert.equal((await ask('POST', path, { raw, headers: { 'content-type': type } })).status, 200, type);
  });

  test('a content type on a GET or DELETE without a body is fine', async () => {
    const { device } = station;
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      assert.equal((await ask('GET', `/api/devices/${device}`, { headers: { 'content-type': type } })).status, 200);
      assert.equal(
        (await ask('DELETE', `/api/devices/${device}/messages`, { headers: { 'content-type': type } })).status,
        204,
      );
      const empty = { headers: { 'content-type': type, 'content-length': '0' } };
      assert.equal((await ask('DELETE', `/api/devices/${device}/messages`, empty)).status, 204);
    }
  });

  test('success: 200 for GET, POST and PUT, 204 with no body for DELETE', async () => {
    const { owner } = station;
    const made = await ask('POST', '/api/users/me/geofences', { body: {} });
    assert.equal(made.status, 200);
    const path = `/api/users/${owner.id}/geofences/${made.body.id}`;
    assert.equal((await ask('GET', path)).status, 200);
    assert.equal((await ask('PUT', path, { body: {} })).status, 200);
    const gone = await ask('DELETE', path);
    assert.equal(gone.status, 204);
    assert.equal(gone.text, '');
    assert.equal((await ask('DELETE', path)).status, 404);
  });
});
