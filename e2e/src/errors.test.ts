import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import type { Ask } from './harness/api.ts';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station } from './harness/station.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Section 4 of the contract, row by row, in the formats of version 1 and version 2. */
onEitherEngine('errors', (running) => {
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
    for (const [filter, suggestion] of [
      ['filter={"were":{"name":"x"}}', /unknown key were. Did you mean where\?/],
      ['filter={"where":{"nmae":"x"}}', /where\.nmae: unknown field. Did you mean name\?/],
      ['filter={"where":{"or":[{"id":1},{"nmae":"x"}]}}', /unknown field/],
      ['filter={"fields":["id","nmae"]}', /fields: unknown field nmae. Did you mean name\?/],
      ['filter={"fields":{"nmae":true}}', /unknown field nmae/],
      ['filter[where][center.latt]=1', /unknown field/],
    ] as const) {
      const path = `/api/users/me/geofences?${encodeURI(filter)}`;
      const refused = await ask('GET', path, { headers });
      assert.equal(refused.status, 400, filter);
      assert.match(refused.body.error.message, suggestion);
      assert.equal((await ask('GET', path)).status, 200, filter);
    }
    const counted = await ask('GET', `/api/users/me/geofences/count?where=${encodeURI('{"nmae":"x"}')}`, { headers });
    assert.equal(counted.status, 400);
    const included = encodeURI('{"include":{"relation":"points","scope":{"were":{}}}}');
    assert.equal((await ask('GET', `/api/devices?filter=${included}`, { headers })).status, 400);
    const whole = encodeURI('{"where":{"meta.own":1},"fields":["id","name"],"order":"name","limit":1,"skip":0}');
    assert.equal((await ask('GET', `/api/users/me/geofences?filter=${whole}`, { headers })).status, 200);
  });

  test('a mistyped parameter of a trigger is refused, custom data is stored', async () => {
    const path = `/api/devices/${station.device}/notificationTriggers`;
    const send = (type: string, parameters: object, headers = {}) =>
      ask('POST', path, { body: { type, parameters }, headers });
    for (const [type, parameters, suggestion] of [
      ['lowBat', { treshold: 10 }, /treshold is not known for lowBat: did you mean threshold/],
      ['lowBat', { Threshold: 10 }, /did you mean threshold/],
      ['geofence', { geofenceId: 9 }, /geofenceId is not known for geofence: did you mean zoneId/],
      ['geoEntry', { zone: 9 }, /did you mean zoneId/],
      ['speed', { limit: 80, unit: 'mph' }, /unit is not known for speed: limit is in km\/h/],
      ['temp', { min: 2, mx: 8 }, /did you mean max/],
    ] as const) {
      const { status, body } = await send(type, parameters);
      assert.deepEqual(
        [status, body.error.details.codes],
        [422, { parameters: ['unknown'] }],
        JSON.stringify(parameters),
      );
      assert.match(body.error.details.messages.parameters[0], suggestion);
    }
    const custom = { limit: 80, note: 'motorway', icon: 'car', id: 7 };
    const made = await send('speed', custom);
    assert.deepEqual([made.status, made.body.parameters], [200, custom]);
    const strict = { prefer: 'handling=strict' };
    assert.match((await send('speed', custom, strict)).text, /note is not known for speed/);
    assert.equal((await send('speed', { limit: 80, email: 'a@example.com' }, strict)).status, 200);

    // What was stored before may be sent back.
    const one = `${path}/${made.body.id}`;
    const same = { parameters: { ...custom, limit: 90 } };
    assert.equal((await ask('PUT', one, { body: same, headers: strict })).status, 200);
    const wrong = { parameters: { limt: 100 } };
    assert.equal((await ask('PUT', one, { body: { parameters: { ...custom, limt: 100 } } })).status, 422);
    assert.equal((await ask('PUT', one, { body: wrong })).status, 422);
    const rule = { appliesTo: 'all', type: 'lowBat', parameters: { treshold: 10 } };
    assert.equal((await ask('POST', '/api/users/me/rules', { body: rule })).status, 422);
  });

  test('an error says what to do about it', async () => {
    const reading = await ask('POST', `/api/devices/${station.device}/gatewayReadings`, {
      body: { type: 'temp', value: 1 },
    });
    const path = `/api/devices/${station.device}/gatewayReadings/${reading.body.id}`;
    const seconds = Math.floor(Date.now() / 1000);
    for (const timestamp of [seconds, String(seconds), 99_999_999_999, 0, -5]) {
      const { status, body } = await ask('PUT', path, { body: { timestamp } });
      assert.deepEqual([status, body.error.details.codes], [422, { timestamp: ['date'] }], String(timestamp));
      assert.match(body.error.message, /did you send seconds\?$/);
    }
    assert.equal((await ask('PUT', path, { body: { timestamp: seconds * 1000 } })).status, 200);
    assert.equal((await ask('GET', `/api/devices/${station.device}/trips?from=${seconds}`)).status, 422);
    assert.equal((await ask('DELETE', path)).status, 204);

    const headers = { prefer: 'handling=strict' };
    const config = await ask('PUT', `/api/devices/${station.device}/config`, { headers, body: { intervall: 5 } });
    assert.match(config.body.error.message, /`intervall` is not known. Did you mean interval\?$/);

    for (const [raw, place] of [
      ['{"name": "x",\n "type": oops}', 'line 2, column 10'],
      ['{"name": "x"', 'line 1, column 13'],
      ['{"a": 1}}', 'line 1, column 9'],
      ["{'name': 1}", 'line 1, column 2'],
      ['{"a": [1, 2,]}', 'line 1, column 13'],
    ] as const) {
      const answer = await ask('POST', '/api/users/me/geofences', { raw, headers: JSON_TYPE });
      assert.deepEqual([answer.status, answer.body.error.message], [400, `The body is not valid JSON: ${place}`], raw);
    }
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

  test('what the caller has already is not sent again', async () => {
    for (const path of ['/api/users/me', '/api/users/me/geofences', '/v2/users/me']) {
      const first = await ask('GET', path);
      const again = (tag: string) =>
        fetch(running.api.address + path, { headers: { authorization: station.owner.token, 'if-none-match': tag } });
      const same = await again(`"other", W/${first.headers.etag}`);
      assert.deepEqual([same.status, await same.text(), same.headers.get('etag')], [304, '', first.headers.etag]);
      assert.equal((await again('"other"')).status, 200);
    }
    const refused = await running.api('GET', '/api/users/me');
    assert.deepEqual([refused.status, refused.headers['www-authenticate']], [401, 'Bearer realm="Trackway"']);
    const large = await ask('POST', '/api/users/me/geofences', { body: { name: 'x'.repeat(2_000_000) } });
    assert.equal(large.status, 413);
    assert.match(large.body.error.message, /at most \d+ bytes/);
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
      const remaining = await ask('GET', next);
      assert.deepEqual(
        remaining.body.map(({ name }: { name: string }) => name),
        ['c'],
      );
      assert.deepEqual([remaining.headers['x-total-count'], remaining.headers.link], ['3', undefined]);
    }
    for (const id of made) await ask('DELETE', `/api/users/me/geofences/${id}`);
    const { device } = station;
    const walked = (await ask('POST', '/api/devices', { body: { name: 'walked' } })).body.id;
    const path = `/api/devices/${walked}/gatewayReadings`;
    // More than are answered at once; two of each time.
    const began = Date.now() - 3_600_000;
    const at = (n: number) => new Date(began + Math.floor(n / 2) * 1000).toISOString();
    const values: number[] = [];
    for (let value = 0; value < 9; value++) {
      await ask('POST', path, { body: { type: 'walk', value, timestamp: at(value) } });
      values.push(value);
    }
    for (const order of ['timestamp', 'timestamp DESC', 'id DESC', undefined]) {
      for (const isBracketed of [false, true]) {
        const filter = isBracketed
          ? `filter[where][type]=walk&filter[limit]=2${order ? `&filter[order]=${order}` : ''}`
          : `filter=${JSON.stringify({ where: { type: 'walk' }, limit: 2, order })}`;
        const seen: number[] = [];
        const added: number[] = [];
        let next: string | undefined = `${path}?${encodeURI(filter)}`;
        for (let page = 0; next !== undefined; page++) {
          const { body, headers } = await ask('GET', next);
          seen.push(...body.map(({ value }: { value: number }) => value));
          next = /^<(.+)>; rel="next"$/.exec(String(headers.link))?.[1];
          if (page > 2) continue;
          // One that comes before those that were read, in the order of the list.
          const isLast = order?.endsWith('DESC');
          const timestamp = new Date(Date.now() + (isLast ? 0 : -7_200_000)).toISOString();
          if (order !== 'id DESC' || page === 0)
            added.push((await ask('POST', path, { body: { type: 'walk', value: 100 + page, timestamp } })).body.id);
        }
        const wanted = order === 'timestamp DESC' ? [8, 6, 7, 4, 5, 2, 3, 0, 1] : order ? values.toReversed() : values;
        assert.deepEqual(seen, order === 'timestamp' ? values : wanted, `${order} ${filter}`);
        for (const id of added) await ask('DELETE', `${path}/${id}`);
      }
    }
    const refused = await ask('GET', `${path}?filter={"order":"value","after":{"id":1}}`);
    assert.equal(refused.status, 400);
    assert.match(refused.body.error.message, /after: needs an order by timestamp or id/);
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
