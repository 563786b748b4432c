import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { onBothEngines } from './harness/engines.ts';
import { makePerson } from './harness/people.ts';
import { makeStation, type Station, voiceOf } from './harness/station.ts';
import { checkFields } from './nine-operations/check-fields.ts';
import {
  DEVICE_CONFIG,
  GATEWAY_READING,
  GEOFENCE,
  MESSAGE,
  MORE_OF_A_MESSAGE,
  MORE_OF_A_TRIGGER,
  NOTIFICATION_TRIGGER,
  PLAN,
  UPDATED_GATEWAY_READING,
} from './nine-operations/published-fields.ts';

/** Fields without which older clients refuse a configuration. */
const MORE_CONFIG = ['onDemandTime', 'checkInInterval', 'fwChannel'];

/** The nine operations of the published API, frozen. Operation 2 has its own file. */
onBothEngines('the nine operations', (running) => {
  let station: Station;
  before(async () => {
    station = await makeStation(running.api);
  });

  const FULL_READING = {
    timestamp: '2026-03-01T10:00:00.000Z',
    type: 'ultra',
    value: { temp: 21.5, distance: 130, numObjects: 1, objects: [{ distance: 130 }] },
    rssi: -71.5,
    meta: { battery: 88, tags: ['a', 'b'] },
    relatedId: 4_503_599_627_370_497,
    correlationId: 'transmission-1',
    sensorDeviceId: 'AA:BB:CC:DD:EE:FF',
  };
  async function makeReading() {
    const { owner, device } = station;
    const sensed = await owner.make('/devices', { name: 'tag' });
    const at = await owner.make(`/devices/${device}/points`, { location: { lat: 48.2, lng: 16.4 } });
    const keys = { deviceId: sensed.id, datapointId: at.id };
    const made = await owner.make(`/devices/${device}/gatewayReadings`, { ...FULL_READING, ...keys });
    return { ...made, ...keys, path: `/devices/${device}/gatewayReadings/${made.id}` };
  }

  test('1: GET /devices/{id}/gatewayReadings/{fk} shows every field, sensorDeviceId included', async () => {
    const { owner, device } = station;
    const { path, deviceId, datapointId } = await makeReading();
    const { status, body } = await owner.get(path);
    assert.equal(status, 200);
    checkFields(body, GATEWAY_READING);
    const { id: _, created: __, ...rest } = body;
    assert.deepEqual(rest, { ...FULL_READING, gatewayId: device, deviceId, datapointId });
    const sent = { token: owner.token, headers: { 'content-type': 'application/json' } };
    assert.deepEqual((await running.api('GET', `/api${path}`, sent)).body, body, 'with a content type and no body');
  });

  test('1: fields that were never set are null, and there', async () => {
    const { owner, device } = station;
    const made = await owner.make(`/devices/${device}/gatewayReadings`, { type: 'temp', value: 0 });
    const { body } = await owner.get(`/devices/${device}/gatewayReadings/${made.id}`);
    checkFields(body, GATEWAY_READING);
    assert.equal(body.value, 0);
    assert.equal(body.sensorDeviceId, null);
    assert.equal(body.gatewayId, device);
  });

  test('1: the value of a reading is any JSON value', async () => {
    const { owner, device } = station;
    for (const value of [0, -1.5, '', 'text', false, true, [], [1, 'two', null], {}, { deep: { er: [1] } }]) {
      const made = await owner.make(`/devices/${device}/gatewayReadings`, { type: 'x', value });
      const path = `/devices/${device}/gatewayReadings/${made.id}`;
      assert.deepEqual((await owner.get(path)).body.value, value);
      const updated = await owner.put(path, { value: { was: value } });
      assert.deepEqual(updated.body.value, { was: value });
    }
  });

  test('4: PUT /devices/{id}/gatewayReadings/{fk} answers without sensorDeviceId and leaves it alone', async () => {
    const { owner } = station;
    const { path } = await makeReading();
    const { status, body } = await owner.put(path, { rssi: -60, sensorDeviceId: 'other' });
    assert.equal(status, 200);
    checkFields(body, UPDATED_GATEWAY_READING);
    assert.equal(body.rssi, -60);
    assert.equal((await owner.get(path)).body.sensorDeviceId, FULL_READING.sensorDeviceId);
  });

  test('4: only the fields sent change; {} changes nothing', async () => {
    const { owner } = station;
    const { path } = await makeReading();
    const before = (await owner.get(path)).body;
    const { sensorDeviceId, ...shown } = before;
    assert.deepEqual((await owner.put(path, {})).body, shown);
    assert.deepEqual((await owner.put(path, { correlationId: 'two' })).body, { ...shown, correlationId: 'two' });
    assert.deepEqual((await owner.get(path)).body, { ...before, correlationId: 'two' });
    assert.equal(sensorDeviceId, FULL_READING.sensorDeviceId);
  });

  test('4: null clears an optional field and is refused for a required one', async () => {
    const { owner } = station;
    const { path } = await makeReading();
    for (const field of ['rssi', 'meta', 'relatedId', 'correlationId', 'deviceId', 'datapointId']) {
      const { status, body } = await owner.put(path, { [field]: null });
      assert.equal(status, 200);
      assert.equal(body[field], null, field);
    }
    const before = (await owner.get(path)).body;
    for (const field of ['timestamp', 'type', 'value']) {
      const { status, body } = await owner.put(path, { [field]: null, rssi: -1 });
      assert.equal(status, 422, field);
      assert.deepEqual(body.error.details.codes, { [field]: ['presence'] });
      assert.deepEqual(body.error.details.messages, { [field]: ["can't be blank"] });
    }
    assert.deepEqual((await owner.get(path)).body, before);
  });

  test('4: a different id or parent is 400 naming the field; values count, not spelling', async () => {
    const { owner, device, otherDevice } = station;
    const { path, id } = await makeReading();
    const before = (await owner.get(path)).body;
    for (const [field, moved] of [
      ['id', id + 1],
      ['id', 'x'],
      ['gatewayId', otherDevice],
      ['gatewayId', String(otherDevice)],
    ] as const) {
      const { status, body } = await owner.put(path, { [field]: moved, rssi: -1 });
      assert.equal(status, 400, `${field} = ${moved}`);
      assert.match(body.error.message, new RegExp(`\\b${field}\\b`));
    }
    assert.deepEqual((await owner.get(path)).body, before);
    for (const same of [
      { id, gatewayId: device },
      { id: String(id), gatewayId: `${device}.0` },
    ])
      assert.equal((await owner.put(path, same)).status, 200);
  });

  test('4: what a client read, it may send back', async () => {
    const { owner } = station;
    const { path } = await makeReading();
    const before = (await owner.get(path)).body;
    assert.equal((await owner.put(path, before)).status, 200);
    assert.deepEqual((await owner.get(path)).body, before);
    assert.equal((await owner.put(path, { created: '1999-01-01' })).status, 200);
    assert.equal((await owner.get(path)).body.created, before.created);
  });

  test('3: GET /devices/{id}/config answers for a device of a second ago, with the defaults', async () => {
    const { owner } = station;
    const { id } = await owner.make('/devices', { name: 'new' });
    const { status, body } = await owner.get(`/devices/${id}/config`);
    assert.equal(status, 200);
    checkFields(body, DEVICE_CONFIG, MORE_CONFIG);
    const { id: _, onDemandTime, checkInInterval: __, fwChannel, ...settings } = body;
    assert.equal(fwChannel, null);
    assert.equal(onDemandTime, 30);
    assert.deepEqual(settings, {
      deviceId: id,
      safeZoneId: null,
      currentFW: null,
      otaFW: null,
      interval: 300,
      sleepInterval: 43_200,
      packing: 1,
      movementSensitivity: 1,
      movementSensitivity2: 2,
      debounce: 3,
      behavior: 0,
      modeControl: 0,
      modeControl2: 0,
      gpsTimeout: 90,
      transmitTimeout: 0,
      gpsStabilize: 10,
      gpsCheckInterval: 120,
      stopTimeout: 90,
      tolerancePercentage: 10,
      reasonsToWake: [{ bluetooth: false, move: true, geofence: false }],
      timed: null,
      modified: null,
      receivedAt: null,
      forceFw: false,
      updateAvailibility: 0,
      reset: null,
      flashTryCount: 0,
      homeWifiNetwork: null,
      wakeAction: 'normal',
      alertAction: 'nothing',
      command: null,
    });
  });

  test('3: refresh is accepted and ignored, whatever it says', async () => {
    const { owner, device } = station;
    const { body } = await owner.get(`/devices/${device}/config`);
    for (const refresh of ['true', 'false', '1', '', 'nonsense', '%5B1%5D'])
      assert.deepEqual((await owner.get(`/devices/${device}/config?refresh=${refresh}`)).body, body, refresh);
  });

  test('the configuration keeps its bounds, and a change waits to be sent', async () => {
    const { owner } = station;
    const { id } = await owner.make('/devices', {});
    const path = `/devices/${id}/config`;
    const beyond: Record<string, number[]> = {
      interval: [0, -1],
      sleepInterval: [0],
      packing: [0, 256],
      movementSensitivity: [0, 11],
      movementSensitivity2: [0, 11],
      debounce: [0, 11],
      behavior: [-1, 256],
      modeControl: [-1, 256],
      modeControl2: [-1, 256],
      gpsTimeout: [-1, 256],
      tolerancePercentage: [4],
    };
    for (const [field, values] of Object.entries(beyond)) {
      for (const value of values) {
        const { status, body } = await owner.put(path, { [field]: value });
        assert.equal(status, 422, `${field} = ${value}`);
        assert.deepEqual(Object.keys(body.error.details.codes), [field]);
      }
    }
    for (const timed of [[{ hh: 24, mm: 0, day: 0, action: 0 }], [{ hh: 0, mm: 60, day: 0, action: 0 }], [{ hh: 1 }]])
      assert.equal((await owner.put(path, { timed })).status, 422);
    assert.equal((await owner.put(path, { homeWifiNetwork: 'x'.repeat(128) })).status, 422);
    assert.equal((await owner.get(path)).body.modified, null, 'refused changes wait for nothing');
    const timed = [{ hh: 23, mm: 59, day: 7, action: 3 }];
    const { body } = await owner.put(path, { timed, updateAvailibility: 9, homeWifiNetwork: 'x'.repeat(127) });
    assert.deepEqual(body.timed, timed);
    assert.equal(body.updateAvailibility, 9);
    assert.notEqual(body.modified, null);
    for (const field of ['interval', 'sleepInterval', 'packing', 'wakeAction', 'alertAction'])
      assert.equal((await owner.put(path, { [field]: null })).status, 422, field);
    assert.equal((await owner.put(path, { deviceId: id + 1 })).status, 400);
    assert.equal((await owner.put(path, { receivedAt: '2020-01-01' })).body.receivedAt, null);
  });

  const FULL_FENCE = {
    outline: [
      { lat: 48, lng: 16 },
      { lat: 48, lng: 17 },
      { lat: 49, lng: 17 },
    ],
    center: { lat: 48.5, lng: 16.5 },
    radius: 250.5,
    type: 'safe',
    name: 'Depot',
    meta: { color: 'red' },
    foreignId: 'erp-17',
  };

  test('5: POST /users/{id}/geofences keeps every field that is the caller’s', async () => {
    const { owner } = station;
    // A device that has reported nothing: who is inside is evaluated when a fence is saved.
    const { id: device } = await owner.make('/devices', { name: 'never reported' });
    const configId = (await owner.get(`/devices/${device}/config`)).body.id;
    const sent = { ...FULL_FENCE, deviceId: device, configId };
    const { status, body } = await owner.post(`/users/${owner.id}/geofences`, sent);
    assert.equal(status, 200);
    checkFields(body, GEOFENCE);
    const { id, wasInside, lastChecked, modified, ...rest } = body;
    assert.deepEqual({ ...rest }, { ...sent, userId: owner.id });
    assert.equal(wasInside, false);
    assert.equal(lastChecked, null);
    assert.equal(typeof modified, 'boolean');
    assert.deepEqual((await owner.get(`/users/${owner.id}/geofences/${id}`)).body, body);
  });

  test('5: every field is optional, and the service’s own are ignored', async () => {
    const { owner, other } = station;
    const { body } = await owner.post(`/users/${owner.id}/geofences`, {});
    checkFields(body, GEOFENCE);
    assert.equal(body.modified, false);
    const sent = { id: 1, userId: other.id, wasInside: true, lastChecked: '2020-01-01', modified: true, surplus: 1 };
    const second = await owner.make(`/users/${owner.id}/geofences`, sent);
    assert.notEqual(second.id, 1);
    assert.equal(second.userId, owner.id);
    assert.equal(second.wasInside, false);
    assert.equal(second.lastChecked, null);
  });

  test('5: a malformed shape is 422', async () => {
    const { owner } = station;
    const corner = { lat: 1, lng: 1 };
    const malformed = [
      { center: { lat: 95, lng: 0 }, radius: 1 },
      { center: { lat: 0, lng: 181 }, radius: 1 },
      { center: { lat: 0 } },
      { center: { lat: 'north', lng: 0 } },
      { radius: -1 },
      { outline: [corner, { lat: 2, lng: 2 }] },
      { outline: [corner, corner, corner] },
      { outline: [corner, { lat: 2, lng: 2 }, { lat: 91, lng: 2 }] },
      { outline: 'round' },
      { outline: {} },
    ];
    const before = (await owner.get('/users/me/geofences')).text;
    for (const fence of malformed) {
      const { status } = await owner.post('/users/me/geofences', fence);
      assert.equal(status, 422, JSON.stringify(fence));
    }
    assert.equal((await owner.get('/users/me/geofences')).text, before);
  });

  test('8: GET /users/{id}/geofences lists, with the filter as JSON and in brackets', async () => {
    const user = voiceOf(running.api, await makePerson(running.api, station.admin, 'fences'));
    const path = `/users/${user.id}/geofences`;
    assert.deepEqual((await user.get(path)).body, []);
    for (const [name, type, radius] of [
      ['a', 'safe', 10],
      ['b', 'prohibited', 30],
      ['c', 'safe', 20],
    ])
      await user.make(path, { name, type, radius });
    const all = await user.get(path);
    assert.deepEqual(
      all.body.map((fence: { name: string }) => fence.name),
      ['a', 'b', 'c'],
    );
    for (const fence of all.body) checkFields(fence, GEOFENCE);
    const asJson = encodeURIComponent(
      JSON.stringify({ where: { type: 'safe' }, order: 'radius DESC', limit: 1, fields: ['id', 'name'] }),
    );
    const inBrackets =
      'filter[where][type]=safe&filter[order]=radius%20DESC&filter[limit]=1&filter[fields][0]=id&filter[fields][1]=name';
    const expected = [{ id: all.body[2].id, name: 'c' }];
    assert.deepEqual((await user.get(`${path}?filter=${asJson}`)).body, expected);
    assert.deepEqual((await user.get(`${path}?${inBrackets}`)).body, expected);
    assert.deepEqual((await user.get(`${path}/count?where=${encodeURIComponent('{"type":"safe"}')}`)).body, {
      count: 2,
    });
    assert.deepEqual(
      (await user.get(`/users/${encodeURIComponent(JSON.stringify(user.id))}/geofences`)).body,
      all.body,
    );
  });

  test('7: PUT /devices/{id}/notificationTriggers/{fk} merges, and refuses to move', async () => {
    const { owner, other, device, otherDevice } = station;
    const made = await owner.make(`/devices/${device}/notificationTriggers`, {
      type: 'speed',
      parameters: { limit: 80 },
      muteFor: 60,
    });
    const path = `/devices/${device}/notificationTriggers/${made.id}`;
    checkFields(made, { ...NOTIFICATION_TRIGGER, ...MORE_OF_A_TRIGGER });
    assert.deepEqual(made.delivery, { push: true, email: false });
    assert.equal(made.deviceId, device);
    assert.equal(made.userId, owner.id);
    assert.deepEqual((await owner.put(path, {})).body, made);
    const changed = await owner.put(path, {
      name: 'Fast',
      parameters: { limit: '90', note: 'mine' },
      delivery: { email: true },
    });
    assert.equal(changed.status, 200);
    checkFields(changed.body, { ...NOTIFICATION_TRIGGER, ...MORE_OF_A_TRIGGER });
    assert.deepEqual(changed.body, {
      ...made,
      name: 'Fast',
      parameters: { limit: 90, note: 'mine' },
      delivery: { email: true },
    });
    assert.equal((await owner.put(path, { lastTriggered: '2020-01-01' })).body.lastTriggered, null);
    assert.equal((await owner.put(path, changed.body)).status, 200, 'what was read may be sent back');
    for (const [field, moved] of [
      ['id', made.id + 1],
      ['deviceId', otherDevice],
      ['userId', other.id],
    ] as const) {
      const { status, body } = await owner.put(path, { [field]: moved, name: 'moved' });
      assert.equal(status, 400, field);
      assert.match(body.error.message, new RegExp(`\\b${field}\\b`));
    }
    for (const field of ['name', 'type', 'muteFor', 'delivery'])
      assert.equal((await owner.put(path, { [field]: null })).status, 422, field);
    assert.deepEqual((await owner.get(path)).body, changed.body);
  });

  test('7: an unknown type is 422 with the list of types; parameters are checked by type', async () => {
    const { owner, device } = station;
    const path = `/devices/${device}/notificationTriggers`;
    const made = await owner.make(path, { type: 'newLoc' });
    const unknown = await owner.put(`${path}/${made.id}`, { type: 'moonPhase' });
    assert.equal(unknown.status, 422);
    assert.match(unknown.body.error.details.messages.type[0], /newLoc.*geofence.*speed/);
    assert.equal((await owner.put(`${path}/${made.id}`, { type: 'speed' })).status, 422, 'speed needs a limit');
    assert.equal((await owner.put(`${path}/${made.id}`, { type: 'temp', parameters: {} })).status, 422);
    assert.equal((await owner.put(`${path}/${made.id}`, { type: 'toString' })).status, 422);
    assert.equal((await owner.put(`${path}/${made.id}`, { muteFor: -1 })).status, 422);
    assert.deepEqual((await owner.get(`${path}/${made.id}`)).body, made);
  });

  test('9: POST /devices/{id}/messages sets what is the service’s, and needs something to say', async () => {
    const { owner, other, device, otherDevice } = station;
    const path = `/devices/${device}/messages`;
    const sent = {
      message: 'blink',
      config: 'AAEC',
      deviceId: otherDevice,
      userId: other.id,
      sent: '2020-01-01',
      id: 1,
    };
    const { status, body } = await owner.post(path, sent);
    assert.equal(status, 200);
    checkFields(body, MESSAGE, MORE_OF_A_MESSAGE);
    assert.equal(body.message, 'blink');
    assert.equal(body.config, 'AAEC');
    assert.equal(body.mobileTerminated, true);
    assert.equal(body.sent, null);
    assert.equal(body.deviceId, device);
    assert.equal(body.userId, owner.id);
    assert.ok(Math.abs(Date.parse(body.created) - Date.now()) < 600_000);
    assert.deepEqual((await owner.get(`${path}/${body.id}`)).body, body);
    assert.equal((await owner.post(path, { config: 'only' })).status, 200);
    assert.equal((await owner.post(path, { message: 'up', mobileTerminated: false })).body.mobileTerminated, false);
    for (const nothing of [{}, { message: '' }, { message: null, config: null }, { mobileTerminated: true }]) {
      const refused = await owner.post(path, nothing);
      assert.equal(refused.status, 422, JSON.stringify(nothing));
      assert.equal(refused.body.error.details.context, 'message');
    }
  });

  test('9: messages keep their order and their text to the letter', async () => {
    const { owner } = station;
    const { id } = await owner.make('/devices', {});
    const texts = ['  two blanks  ', 'línea\nnueva\t😀', '{"json": true}', "'; DROP TABLE messages; --", '0'];
    for (const message of texts) await owner.make(`/devices/${id}/messages`, { message });
    const { body } = await owner.get(`/devices/${id}/messages`);
    assert.deepEqual(
      body.map((entry: { message: string }) => entry.message),
      texts,
    );
  });

  test('6: GET /users/{userid}/plans/summary sums unused and consumed credits, under /api and /v2', async () => {
    const { admin } = station;
    const user = voiceOf(running.api, await makePerson(running.api, admin, 'plans'));
    const prices = {
      eur: [
        [1, 5],
        [10, 4.5],
      ],
      gbp: [[1, 4]],
      usd: [[1, 6]],
      tax: { eur: [[1, 1]] },
    };
    const plan = await admin.make('/plans', {
      name: `Basic ${user.id}`,
      displayName: 'Basic',
      description: 'The basics',
      features: 'tracking',
      sku: 'B-1',
      onoWhitelistId: 7,
      sleepLimit: 3600,
      wakeLimit: 60,
      prices,
    });
    const summary = async (query = '') => {
      const one = await running.api('GET', `/api/users/${user.id}/plans/summary${query}`, { token: user.token });
      const two = await running.api('GET', `/v2/users/${user.id}/plans/summary${query}`, { token: user.token });
      assert.equal(one.status, 200);
      assert.equal(two.text, one.text, 'both versions say the same');
      return one.body;
    };
    assert.deepEqual(await summary(), []);
    assert.deepEqual(await summary('?consumed=true'), []);
    await admin.make(`/users/${user.id}/plans`, { planId: plan.id, count: 3 });
    const { days: _, keepDays: _kept, ...shown } = plan;
    checkFields(shown, PLAN);
    assert.deepEqual(await summary(), [{ count: 3, subscriptions: 0, plan: shown }]);
    assert.deepEqual(shown.prices, prices);
    const one = (await user.make('/devices', {})).id;
    const two = (await user.make('/devices', {})).id;
    for (const device of [one, two])
      assert.equal((await user.put(`/devices/${device}/plan`, { planId: plan.id })).status, 200);
    assert.equal((await user.put(`/devices/${one}/plan`, { planId: plan.id })).status, 200, 'twice uses no more');
    assert.deepEqual(await summary(), [{ count: 1, subscriptions: 2, plan: shown }]);
    assert.deepEqual(await summary('?consumed=false'), [{ count: 1, subscriptions: 2, plan: shown }]);
    assert.deepEqual(await summary('?consumed=true'), [{ count: 2, subscriptions: 2, plan: shown }]);
    assert.equal((await user.delete(`/devices/${two}/plan`)).status, 204);
    assert.deepEqual(await summary('?consumed=true'), [{ count: 2, subscriptions: 1, plan: shown }]);
    const three = (await user.make('/devices', {})).id;
    assert.equal((await user.put(`/devices/${three}/plan`, { planId: plan.id })).status, 200);
    assert.deepEqual(await summary(), [], 'no credit is left');
    assert.equal((await user.put(`/devices/${two}/plan`, { planId: plan.id })).status, 422, 'none to use');
    const bad = await running.api('GET', `/api/users/${user.id}/plans/summary?consumed=maybe`, { token: user.token });
    assert.equal(bad.status, 422);
  });
});
