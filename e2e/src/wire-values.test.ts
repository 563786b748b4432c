import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station } from './harness/station.ts';

/** Section 5 of the contract: the format of values in requests and answers. */
onEitherEngine('values on the wire', (running) => {
  let station: Station;
  let readings: string;
  before(async () => {
    station = await makeStation(running.api);
    readings = `/devices/${station.device}/gatewayReadings`;
  });
  const makeReading = (more: object = {}) => station.owner.make(readings, { type: 'temp', value: 1, ...more });

  test('times come in as ISO 8601 with any offset, as a date, or as epoch milliseconds', async () => {
    const forms: [sent: unknown, shown: string][] = [
      ['2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z'],
      ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
      ['2026-03-01T10:00:00.123456Z', '2026-03-01T10:00:00.123Z'],
      ['2026-03-01T11:00:00+01:00', '2026-03-01T10:00:00.000Z'],
      ['2026-03-01T04:30:00.5-05:30', '2026-03-01T10:00:00.500Z'],
      ['2026-03-01T11:00:00+0100', '2026-03-01T10:00:00.000Z'],
      ['2026-03-01', '2026-03-01T00:00:00.000Z'],
      ['2024-02-29', '2024-02-29T00:00:00.000Z'],
      [1_772_359_200_000, '2026-03-01T10:00:00.000Z'],
      ['1772359200000', '2026-03-01T10:00:00.000Z'],
      [100_000_000_000, '1973-03-03T09:46:40.000Z'],
    ];
    for (const [sent, shown] of forms) {
      const made = await makeReading({ timestamp: sent });
      assert.equal(made.timestamp, shown, String(sent));
      assert.equal((await station.owner.get(`${readings}/${made.id}`)).body.timestamp, shown);
      assert.equal((await station.owner.put(`${readings}/${made.id}`, { timestamp: sent })).body.timestamp, shown);
    }
    const query = (at: string) => `${readings}/count?where=${encodeURIComponent(JSON.stringify({ timestamp: at }))}`;
    assert.equal((await station.owner.get(query('1772359200000'))).body.count, 6);
    assert.equal((await station.owner.get(query('2026-03-01T11:00:00+01:00'))).body.count, 6);
  });

  test('what is no time is 422', async () => {
    const before = (await station.owner.get(`${readings}/count`)).body;
    for (const timestamp of [
      'yesterday',
      '',
      '2026-13-01',
      '2026-02-30',
      '2026-03-01T25:00:00Z',
      true,
      {},
      [],
      1e300,
      'Infinity',
    ]) {
      const { status, body } = await station.owner.post(readings, { type: 'temp', value: 1, timestamp });
      assert.equal(status, 422, JSON.stringify(timestamp));
      assert.deepEqual(Object.keys(body.error.details.codes), ['timestamp']);
    }
    assert.deepEqual((await station.owner.get(`${readings}/count`)).body, before);
  });

  test('path ids are positive integers: 10.0 is 10, everything else is an unknown id', async () => {
    const { owner, device } = station;
    const { id } = await makeReading();
    for (const same of [`${id}.0`, `${id}.00`]) assert.equal((await owner.get(`${readings}/${same}`)).body.id, id);
    assert.equal((await owner.get(`/devices/${device}.0/gatewayReadings/${id}.0`)).body.id, id);
    assert.equal((await owner.get(`/users/${owner.id}.0/geofences`)).status, 200);
    const unknown = [
      '1e0',
      '0x1',
      '01',
      '1.5',
      '0',
      '-1',
      '+1',
      'abc',
      '1,1',
      '1;1',
      '%201',
      '1%20',
      '%00',
      '1%00',
      'null',
      'undefined',
      'NaN',
      'true',
      '[1]',
      '%7B%7D',
      '%D9%A1',
      '9007199254740992',
      '9007199254740993',
      '99999999999999999999999999',
      '1'.repeat(400),
      '__proto__',
      'constructor',
      "1'%20OR%201=1",
    ];
    for (const text of unknown) {
      const ofDevice = await owner.get(`/devices/${text}`);
      assert.equal(ofDevice.status, 404, text);
      assert.equal(ofDevice.body.error.code, 'MODEL_NOT_FOUND', text);
      assert.equal(
        (await owner.get(`/devices/${text}/gatewayReadings/${id}`)).body.error.code,
        'MODEL_NOT_FOUND',
        text,
      );
      const child = await owner.get(`${readings}/${text}`);
      assert.equal(child.status, 404, text);
      assert.match(child.body.error.message, /^No instance with id .* found for gatewayReading$/s, text);
      // A word that cannot be a user is no address; any number may be one.
      const isNumber = /^\d+(\.\d+)?$/.test(text);
      assert.equal((await owner.get(`/users/${text}/geofences`)).status, isNumber ? 403 : 404, text);
      assert.equal((await station.admin.get(`/users/${text}/geofences`)).status, 404, text);
    }
    const largest = await owner.get('/devices/9007199254740991');
    assert.equal(largest.body.error.message, 'Unknown "device" id "9007199254740991".');
  });

  test('a trailing slash makes no difference', async () => {
    const { owner, device } = station;
    for (const path of [`/devices/${device}`, readings, `/users/${owner.id}/geofences`, `/devices/${device}/config`]) {
      const { status, text } = await owner.get(`${path}/`);
      assert.equal(status, 200);
      assert.equal(text, (await owner.get(path)).text);
    }
    assert.equal((await owner.post(`${readings}/`, { type: 'temp', value: 1 })).status, 200);
    assert.equal((await owner.get(`${readings}/?filter[limit]=1`)).body.length, 1);
  });

  test('bodies may be forms', async () => {
    const { owner } = station;
    const form = (path: string, raw: string, method = 'POST') =>
      running.api(method, `/api${path}`, {
        token: owner.token,
        raw,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const made = await form(
      '/users/me/geofences',
      'name=Caf%C3%A9+one&radius=12.5&center[lat]=1&center[lng]=-2.5&meta={"a":1}',
    );
    assert.equal(made.status, 200, made.text);
    assert.equal(made.body.name, 'Café one');
    assert.equal(made.body.radius, 12.5);
    assert.deepEqual(made.body.center, { lat: 1, lng: -2.5 });
    assert.deepEqual(made.body.meta, { a: 1 });
    const updated = await form(`/users/me/geofences/${made.body.id}`, 'name=two', 'PUT');
    assert.equal(updated.body.name, 'two');
    assert.equal(updated.body.radius, 12.5);
    const login = await form('/users/login', `email=${owner.email}&password=${encodeURIComponent(owner.password)}`);
    assert.equal(login.status, 200);
    assert.equal((await form('/users/me/geofences', 'radius=abc')).status, 422);
    assert.equal((await form('/users/me/geofences', 'name=a&name=b')).status, 400);
    assert.equal((await form('/users/me/geofences', 'name=%ZZ')).status, 400);
    const charset = await running.api('POST', '/api/users/me/geofences', {
      token: owner.token,
      raw: '{"name":"with charset"}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    assert.equal(charset.body.name, 'with charset');
  });

  test('safe coercions are made, unsafe ones are 422', async () => {
    const { owner, device } = station;
    const made = await makeReading({ rssi: '-12.5', relatedId: '7', correlationId: 12 });
    assert.equal(made.rssi, -12.5);
    assert.equal(made.relatedId, 7);
    assert.equal(made.correlationId, '12');
    const config = `/devices/${device}/config`;
    assert.equal((await owner.put(config, { forceFw: 'true' })).body.forceFw, true);
    assert.equal((await owner.put(config, { forceFw: 'false' })).body.forceFw, false);
    assert.equal((await owner.put(config, { interval: '60' })).body.interval, 60);
    for (const [field, value] of [
      ['interval', 'abc'],
      ['interval', ''],
      ['interval', '1.5'],
      ['interval', 1.5],
      ['interval', true],
      ['interval', []],
      ['interval', [60]],
      ['interval', {}],
      ['forceFw', 'maybe'],
      ['forceFw', ''],
      ['forceFw', 2],
      ['forceFw', {}],
      ['timed', 'x'],
      ['timed', {}],
      ['reasonsToWake', 5],
      ['homeWifiNetwork', {}],
      ['homeWifiNetwork', ['a']],
    ] as const) {
      const { status, body } = await owner.put(config, { [field]: value });
      assert.equal(status, 422, `${field} = ${JSON.stringify(value)}`);
      assert.deepEqual(Object.keys(body.error.details.codes), [field]);
    }
    const after = (await owner.get(config)).body;
    assert.equal(after.interval, 60);
    assert.equal(after.forceFw, false);
    for (const rssi of ['abc', '', ' ', '0x10', '1e999', 'Infinity', 'NaN', '--1', true, {}, [1]])
      assert.equal((await owner.post(readings, { type: 'temp', value: 1, rssi })).status, 422, JSON.stringify(rssi));
  });

  test('unknown fields are left out and named in no error', async () => {
    const { owner } = station;
    const made = await makeReading({ surprise: 1, deletedAt: 5, keyHash: 'x', 'a b': {} });
    assert.ok(!('surprise' in made));
    const updated = await owner.put(`${readings}/${made.id}`, { surprise: 2, 'drop table': 1 });
    assert.equal(updated.status, 200);
    const wrong = await owner.put(`${readings}/${made.id}`, { surprise: 2, rssi: 'abc' });
    assert.equal(wrong.status, 422);
    assert.doesNotMatch(wrong.text, /surprise/);
  });

  test('whole numbers stay whole up to 2^53−1', async () => {
    const { owner } = station;
    const made = await makeReading({ relatedId: Number.MAX_SAFE_INTEGER, value: Number.MAX_SAFE_INTEGER });
    assert.equal(made.relatedId, Number.MAX_SAFE_INTEGER);
    const { body } = await owner.get(`${readings}/${made.id}`);
    assert.equal(body.relatedId, Number.MAX_SAFE_INTEGER);
    assert.equal(body.value, Number.MAX_SAFE_INTEGER);
    const listed = await owner.get(`${readings}?filter[where][id]=${made.id}`);
    assert.equal(listed.body[0].relatedId, Number.MAX_SAFE_INTEGER);
    assert.equal((await owner.post(readings, { type: 'temp', value: 1, relatedId: 2 ** 53 })).status, 422);
  });

  test('text keeps every character it came with', async () => {
    const { owner } = station;
    for (const text of [
      'Zoë 😀 \u202e',
      'a"b\\c\'d',
      '\t\n',
      '$x {y}',
      '%s%d',
      '</script>',
      '\u2028',
      '\ufeffx',
      'ß'.repeat(100),
    ]) {
      const made = await makeReading({ correlationId: text, value: { [text]: text } });
      const { body } = await owner.get(`${readings}/${made.id}`);
      assert.equal(body.correlationId, text);
      assert.deepEqual(body.value, { [text]: text });
    }
  });

  test('text that no engine keeps whole is 422, not kept in part', async () => {
    const { owner } = station;
    for (const text of ['a\u0000b', '\ud800', 'x\udfff', '\udc00\ud800']) {
      for (const body of [{ correlationId: text }, { meta: { a: [text] } }, { meta: { [text]: 1 } }, { value: text }]) {
        const { status, body: answer } = await owner.post(readings, { type: 'temp', value: 1, ...body });
        assert.equal(status, 422, JSON.stringify(body));
        assert.deepEqual(Object.keys(answer.error.details.codes), Object.keys(body));
      }
    }
  });

  test('an answer is the same read alone, in a list, and as it was made', async () => {
    const { owner, device } = station;
    const families: [string, object][] = [
      [readings, { type: 'temp', value: { a: [1, null] }, rssi: 0.1 + 0.2, meta: {} }],
      [`/devices/${device}/points`, { location: { lat: 48.123456789, lng: -16 }, speed: 0, sats: 0 }],
      [`/devices/${device}/messages`, { message: 'hello' }],
      [`/devices/${device}/notificationTriggers`, { type: 'newLoc' }],
      ['/users/me/geofences', { center: { lat: 0, lng: 0 }, radius: 0, name: '' }],
    ];
    for (const [path, sent] of families) {
      const made = await owner.make(path, sent);
      assert.deepEqual((await owner.get(`${path}/${made.id}`)).body, made, path);
      const listed = await owner.get(`${path}?filter[where][id]=${made.id}`);
      assert.deepEqual(listed.body, [made], path);
      const inAll = (await owner.get(path)).body.find((one: { id: number }) => one.id === made.id);
      assert.deepEqual(inAll, made, path);
      assert.deepEqual((await owner.put(`${path}/${made.id}`, made)).status, 200, path);
      assert.deepEqual((await owner.get(`${path}/${made.id}`)).body, made, `${path} after it was sent back`);
    }
  });
});
