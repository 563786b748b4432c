import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { onEitherEngine } from './harness/engines.ts';
import { makePerson } from './harness/people.ts';
import { makeStation, type Station, type Voice, voiceOf } from './harness/station.ts';

/** What special calls send to a device, and what becomes of it. */
onEitherEngine('modes and commands', (running) => {
  let station: Station;
  let owner: Voice;
  before(async () => {
    station = await makeStation(running.api);
    owner = station.owner;
  });

  interface Simulated {
    readonly id: number;
    readonly path: string;
    /** Sends a report; the answer as it came. */
    send(body: object): ReturnType<typeof running.api>;
    /** A report that must be taken. */
    report(body?: object): Promise<{ messages: { id: number; message: string; config: string }[]; config?: object }>;
  }

  async function makeDevice(more: object = {}): Promise<Simulated> {
    const { id, deviceKey } = await owner.make('/devices', { name: 'Van', ...more });
    const send = (body: object) =>
      running.api('POST', '/ingest/reports', { headers: { authorization: deviceKey }, body });
    return {
      id,
      path: `/devices/${id}`,
      send,
      async report(body = {}) {
        const answer = await send(body);
        assert.equal(answer.status, 200, answer.text);
        return answer.body;
      },
    };
  }

  const v2 = (method: string, path: string, { token }: Voice = owner, body?: unknown) =>
    running.api(method, `/v2${path}`, { token, body });
  const codes = (answer: { body: { error: { details: { codes: object } } } }) => answer.body.error.details.codes;

  test('flight mode reaches the device, and lasts from when the device confirmed it', async () => {
    const device = await makeDevice();
    const asked = await owner.get(`${device.path}/flightMode?duration="90.0"`);
    assert.equal(asked.status, 200, asked.text);
    const { id, triggeredAt } = asked.body;
    const made = { id, deviceId: device.id, type: 6, duration: 90, triggeredAt, end: null, sent: null, sms: false };
    assert.deepEqual(asked.body, made);
    const again = (await owner.post(`${device.path}/flightMode`, { duration: 60 })).body;
    const { messages } = await device.report();
    assert.deepEqual(
      messages.map(({ message }) => message),
      ['flightMode 60'],
      'the first was replaced',
    );
    await device.report({ taken: { messages: [messages[0]!.id] } });
    const { body: confirmed } = await owner.get(`${device.path}/transients/${again.id}`);
    assert.equal(Date.parse(confirmed.end) - Date.parse(confirmed.sent), 60 * 60_000);
    const filter = JSON.stringify({ where: { sent: null }, order: 'triggeredAt DESC', limit: 1 });
    const waiting = await owner.get(`${device.path}/transients?filter=${encodeURIComponent(filter)}`);
    assert.deepEqual(waiting.body, []);
    assert.equal((await owner.get(`${device.path}/transients/count`)).body.count, 1);
    const late = await owner.put(`${device.path}/transients/${again.id}`, { duration: 5 });
    assert.deepEqual([late.status, codes(late)], [422, { duration: ['sent'] }]);
    assert.equal((await owner.put(`${device.path}/transients/${again.id}`, confirmed)).status, 200);
    assert.equal((await owner.put(`${device.path}/transients/${again.id}`, { deviceId: 1 })).status, 400);
    assert.equal((await owner.delete(`${device.path}/transients/${again.id}`)).status, 204);
    for (const wrong of ['', '?duration=', '?duration=0', '?duration=65536', '?duration=1.5', '?duration=abc'])
      assert.equal((await owner.get(`${device.path}/flightMode${wrong}`)).status, 422, wrong);
    const byAddress = `/api${device.path}/flightMode?duration=5&access_token=${owner.token}`;
    assert.equal((await running.api('GET', byAddress)).status, 401, 'a link changes nothing');
  });

  test('a mode that is cancelled or changed before the device received it is never sent, or sent as changed', async () => {
    const device = await makeDevice();
    const flight = await owner.make(`${device.path}/flightMode`, { duration: 60 });
    const sleep = await owner.make(`${device.path}/sleep`);
    const wakeUp = await owner.make(`${device.path}/wakeUp`, { duration: 5 });
    assert.deepEqual([sleep.type, sleep.duration, wakeUp.type, wakeUp.duration], [1, 0, 0, 5]);
    assert.equal((await owner.delete(`${device.path}/transients/${flight.id}`)).status, 204);
    const longer = await owner.put(`${device.path}/transients/${wakeUp.id}`, { duration: 15, type: 6, sms: true });
    assert.deepEqual([longer.body.duration, longer.body.type, longer.body.sms], [15, 0, true]);
    const { messages } = await device.report();
    assert.deepEqual(
      messages.map(({ message }) => message),
      ['sleep', 'wakeUp 15'],
    );
    await device.report({ taken: { messages: messages.map(({ id }) => id) } });
    const { body } = await owner.get(`${device.path}/transients/${sleep.id}`);
    assert.notEqual(body.sent, null);
    assert.equal(body.end, null, 'until another mode is set');
  });

  test('changes of tags and custom data at the same time lose nothing', async () => {
    const device = await makeDevice({ tags: ['a:1', 'a:2', 'depot:south'], meta: { kept: 1 } });
    const many = Array.from({ length: 8 }, (_, index) => index);
    const answers = await Promise.all(
      many.flatMap((index) => [
        owner.get(`${device.path}/setMetaItem?key=k${index}&value=${index}`),
        owner.post('/devices/changeTags', { ids: [device.id], tagEdits: [{ tag: `t${index}:${index}` }] }),
        v2('PUT', `${device.path}/tags/v${index}?value=${index}`),
      ]),
    );
    for (const { status, text } of answers) assert.equal(status, 200, text);
    const { body } = await owner.get(device.path);
    assert.deepEqual(body.meta, { kept: 1, ...Object.fromEntries(many.map((index) => [`k${index}`, index])) });
    const made = many.flatMap((index) => [`t${index}:${index}`, `v${index}:${index}`]);
    assert.deepEqual(body.tags.toSorted(), ['a:2', 'depot:south', ...made].toSorted());
  });

  test('one key of the custom data is any JSON, or a text', async () => {
    const device = await makeDevice();
    const set = (key: string, value?: string) =>
      owner.get(
        `${device.path}/setMetaItem?key=${key}${value === undefined ? '' : `&value=${encodeURIComponent(value)}`}`,
      );
    assert.deepEqual((await set('address', '12 High Street')).body, { status: 'ok' });
    await set('__proto__', '{"a":1}');
    await set('on', 'true');
    await owner.make(`${device.path}/setMetaItem`, { key: 'gone', value: 'text' });
    await set('gone');
    const { text } = await owner.get(device.path);
    const { meta } = JSON.parse(text);
    assert.deepEqual(
      new Map(Object.entries(meta)),
      new Map<string, unknown>([
        ['address', '12 High Street'],
        ['__proto__', { a: 1 }],
        ['on', true],
      ]),
    );
    assert.equal((await set('big', 'x'.repeat(9000))).status, 200);
    const huge = await owner.post(`${device.path}/setMetaItem`, { key: 'huge', value: 'x'.repeat(60_000) });
    assert.equal(huge.status, 422);
    assert.equal((await owner.get(`${device.path}/setMetaItem?value=1`)).status, 422);
  });

  test('tags of several devices are changed all or not at all', async () => {
    const [one, two] = [await makeDevice({ tags: ['depot:south'] }), await makeDevice({ tags: ['spare'] })];
    const change = (ids: number[], tagEdits: object[], headers = {}) =>
      running.api('POST', '/api/devices/changeTags', { token: owner.token, headers, body: { ids, tagEdits } });
    const tags = async () => [(await owner.get(one.path)).body.tags, (await owner.get(two.path)).body.tags];
    const ids = [one.id, two.id];
    const raw = new URLSearchParams({
      ids: JSON.stringify(ids),
      tagEdits: JSON.stringify([
        { tag: 'site:north', originalTagKey: 'depot' },
        { originalTagKey: 'spare', tag: null },
      ]),
    });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await running.api('POST', '/api/devices/changeTags', {
      token: owner.token,
      raw: raw.toString(),
      headers: form,
    });
    assert.deepEqual([answer.status, answer.body], [200, { status: 'ok' }], answer.text);
    assert.deepEqual(await tags(), [['site:north'], ['site:north']]);
    assert.equal((await change([...ids, station.otherDevice], [{ tag: 'x' }])).status, 404);
    const many = Array.from({ length: 100 }, (_, index) => ({ tag: `n${index}` }));
    assert.equal((await change(ids, many)).status, 422);
    assert.equal((await change([], [{ tag: 'x' }])).status, 422);
    assert.deepEqual(await tags(), [['site:north'], ['site:north']]);
    const shared = await station.other.make('/devices', {});
    await station.other.make(`/devices/${shared.id}/shares`, { email: owner.email });
    assert.equal((await change([one.id, shared.id], [{ tag: 'x' }])).status, 403);
  });

  test('tags by version 2', async () => {
    const { path } = await makeDevice();
    assert.deepEqual((await v2('GET', `${path}/tags`)).body, []);
    assert.equal((await v2('PUT', `${path}/tags/a%20b?value=x%3Ay`)).body, 'x:y');
    assert.equal((await v2('PUT', `${path}/tags/label`, owner, { value: '' })).body, '');
    assert.deepEqual((await v2('GET', `${path}/tags`)).body, ['a b:x:y', 'label']);
    assert.equal((await v2('GET', `${path}/tags/a%20b`)).body, 'x:y');
    assert.equal((await v2('GET', `${path}/tags/label`)).body, '');
    for (const wrong of ['a%3Ab?value=1', `${'n'.repeat(100)}?value=1`, 'none', `a?value=${'x'.repeat(99)}`])
      assert.equal((await v2('PUT', `${path}/tags/${wrong}`)).status, 400, wrong);
    assert.equal((await v2('DELETE', `${path}/tags/label`)).body, 'ok');
    assert.equal((await v2('DELETE', `${path}/tags/label`)).status, 404);
    assert.equal((await v2('GET', `${path}/tags/label`)).status, 404);
  });

  test('an inactive device keeps what it has and is served again, with nothing lost', async () => {
    const device = await makeDevice({ serial: 'inactive-1', allowKeyless: true });
    const friend = voiceOf(running.api, await makePerson(running.api, station.admin, 'manager'));
    await owner.make(`${device.path}/shares`, { email: friend.email, rights: 'manage' });
    await owner.make(`${device.path}/notificationTriggers`, { type: 'newLoc' });
    const at = { points: [{ location: { lat: 1, lng: 2 }, timestamp: new Date().toISOString() }] };
    for (let times = 0; times < 2; times++)
      assert.deepEqual((await owner.get(`${device.path}/deactivate`)).body, { success: 'ok' });
    const { active, expires } = (await owner.get(device.path)).body;
    assert.deepEqual([active, typeof expires], [false, 'string']);
    const refused = await device.send(at);
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'DEVICE_INACTIVE']);
    const phone = await fetch(`${running.api.address}/ingest/osmand?id=inactive-1&lat=1&lon=2`);
    assert.equal(phone.status, 403);
    await owner.make(`${device.path}/messages`, { message: 'waits' });
    assert.equal((await friend.put(device.path, { active: true })).status, 403);
    assert.equal((await friend.put(device.path, { active: false, name: 'Bus' })).status, 200);
    assert.equal((await owner.put(device.path, { active: true })).body.active, true);
    const { messages } = await device.report(at);
    assert.equal(messages[0]!.message, 'waits');
    assert.equal((await owner.get(`${device.path}/points`)).body.length, 1);
    assert.equal((await owner.get(`${device.path}/notifications`)).body.length, 1, 'the refused ones fired nothing');
  });

  test('a firmware update is requested, sent, and over once the device runs it', async () => {
    const device = await makeDevice();
    const path = `${device.path}/firmware`;
    await device.report({ currentFW: '1204' });
    assert.deepEqual((await v2('GET', `${path}/current`)).body, { build: '1204', channel: null });
    const none = (await v2('GET', `${path}/update`)).body;
    const asked = await v2('POST', `${path}/update`, owner, { build: '1205', availability: 9 });
    assert.deepEqual(asked.body, { build: '1205', channel: null, availability: 9 }, asked.text);
    const { config } = await device.report();
    const { otaFW, forceFw, updateAvailibility } = config as Record<string, unknown>;
    assert.deepEqual([otaFW, forceFw, updateAvailibility], ['1205', true, 9]);
    assert.deepEqual((await v2('GET', `${path}/update`)).body, {
      pending: 1205,
      pendingName: null,
      pendingReason: 'requested',
      request: 1205,
      updateAvailability: 9,
      updateRedirects: 1,
      _forceFW: true,
    });
    await device.report({ currentFW: '1205' });
    assert.deepEqual((await v2('GET', `${path}/update`)).body, none);
    await v2('POST', `${path}/update`, owner, { build: 'latest', channel: 'beta' });
    assert.equal((await v2('GET', `${path}/update`)).body.pendingName, 'latest');
    for (let times = 0; times < 2; times++) assert.equal((await v2('DELETE', `${path}/update`)).body, 'ok');
    assert.deepEqual((await v2('GET', `${path}/update`)).body, none);
    assert.deepEqual((await v2('GET', `${path}/current`)).body, { build: '1205', channel: 'beta' });
    for (const wrong of [{}, { availability: 3 }, { build: 'x'.repeat(101) }])
      assert.equal((await v2('POST', `${path}/update`, owner, wrong)).status, 400, JSON.stringify(wrong));
  });

  test('a device without an RTK receiver is sent nothing; one with it answers', async () => {
    const device = await makeDevice();
    const empty = (await owner.get(`${device.path}/getRtkStatus`)).body;
    assert.deepEqual([empty.deviceId, empty.positionType, empty.connected], [device.id, 'invalid', null]);
    assert.deepEqual((await owner.get(`${device.path}/getRecentRtkLogs`)).body, []);
    const refused = await owner.get(`${device.path}/queueRtkCmd_RebootRtk`);
    assert.deepEqual([refused.status, codes(refused)], [422, { deviceId: ['unsupported'] }]);
    assert.match(refused.text, /this device has not said that it has an RTK receiver; set meta.rtk/);
    const line = { msgType: 'rtcm', linkQuality: 80, info: 'good', timestamp: '2026-01-01T00:00:00Z' };
    const rtk = { positionType: 'rtkFix', accuracy: 0.02, location: { lat: 1, lng: 2 }, baseId: 4, log: [line] };
    await device.report({ rtk });
    await device.report({ rtk });
    const status = (await owner.get(`${device.path}/getRtkStatus`)).body;
    assert.deepEqual([status.positionType, status.accuracy, status.currentBaseId], ['rtkFix', 0.02, 4]);
    const logs = (await owner.get(`${device.path}/getRecentRtkLogs`)).body;
    assert.deepEqual([logs.length, logs[0].linkQuality, logs[0].info], [1, 80, 'good']);

    const queued = await owner.get(`${device.path}/queueRtkCmd_UpdateRateMs?intervalMs=100`);
    assert.equal(queued.status, 200, queued.text);
    const { messageId, commandType, payload } = queued.body;
    assert.equal(commandType, 1);
    assert.deepEqual(JSON.parse(Buffer.from(payload, 'base64').toString()), { intervalMs: 100, messageId });
    const { messages } = await device.report();
    assert.deepEqual([messages[0]!.message, messages[0]!.config], ['rtk updateRateMs 100', payload]);
    const answer = JSON.stringify({ messageId, ok: true });
    await device.report({ taken: { messages: [messages[0]!.id] }, messages: [{ message: answer }] });
    const done = (await owner.get(`${device.path}/getRtkCommand?messageId=${messageId}`)).body;
    assert.ok(done.sent !== null && done.receivedAck === done.sent);
    assert.equal(Buffer.from(done.response, 'base64').toString(), answer);
    assert.equal((await owner.get(`${device.path}/getRtkCommand?messageId=1`)).status, 404);
    for (const wrong of [
      'UpdateRateMs',
      'UpdateRateMs?intervalMs=99',
      'AlertNow?alertValue=-1',
      'AlertWithPrompt?alertValue=1',
      'SetPointBufferSize?maxPoints=0',
    ])
      assert.equal((await owner.get(`${device.path}/queueRtkCmd_${wrong}`)).status, 422, wrong);
    const prompt = await owner.post(`${device.path}/queueRtkCmd_AlertWithPrompt`, {
      alertValue: 4294967295,
      prompt: 'Stop',
    });
    assert.equal(prompt.body.commandType, 3, prompt.text);
  });

  test('a base station has a status, and the password of a caster goes to the device alone', async () => {
    const device = await makeDevice({ meta: { rtk: true } });
    assert.equal((await owner.get(`${device.path}/updateRtkBaseStatus?online=True`)).status, 422, 'where is it?');
    const online = (await owner.get(`${device.path}/updateRtkBaseStatus?online=True&lat=1&lng=2&alt=3`)).body;
    assert.deepEqual([online.status, online.fixedPositionAlt, online.valid], ['online_fixed', 3, true]);
    const offline = (await owner.post(`${device.path}/updateRtkBaseStatus`, { online: false })).body;
    assert.deepEqual([offline.status, offline.location], ['offline', { lat: 1, lng: 2 }]);
    const settings = {
      hostname: 'caster.example.com',
      portNum: 2101,
      mountpoint: 'M',
      username: 'u',
      password: 'pass word',
    };
    const query = encodeURIComponent(JSON.stringify(settings));
    assert.equal((await owner.get(`${device.path}/setNtripSettings?settings=${query}`)).body, 'ok');
    const shown = Buffer.from((await owner.get(`${device.path}/messages`)).body[0].config, 'base64').toString();
    assert.ok(!shown.includes('pass word') && shown.includes('caster.example.com'));
    const { messages } = await device.report();
    assert.equal(messages[0]!.message, 'rtk ntrip caster.example.com:2101/M');
    assert.deepEqual(JSON.parse(Buffer.from(messages[0]!.config, 'base64').toString()), settings);
    await device.report({ taken: { messages: [messages[0]!.id] } });
    const { portNum: _, ...without } = settings;
    assert.equal((await owner.post(`${device.path}/setNtripSettings`, { settings: without })).status, 422);
  });
});
