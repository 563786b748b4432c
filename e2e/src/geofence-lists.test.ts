import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station, type Voice } from './harness/station.ts';

const TRIANGLE = [
  { lat: 50, lng: 8 },
  { lat: 50, lng: 9 },
  { lat: 51, lng: 9 },
];

onEitherEngine('safe zones and lists of geofences', (running) => {
  let station: Station;
  before(async () => {
    station = await makeStation(running.api);
  });
  const v2 = (method: string, path: string, { token }: Voice, body?: object) =>
    running.api(method, `/v2/users/0${path}`, { token, body });

  test('published clients set and get a safe zone in their several ways, and the device gets it', async () => {
    const { owner } = station;
    const { id, deviceKey } = await owner.client.createDevice({ body: { name: 'Van' } });
    const path = `/api/devices/${id}/setSafeZone`;
    const { token } = owner;
    assert.equal((await owner.get(`/devices/${id}/getSafeZone`)).status, 404);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const data = JSON.stringify(TRIANGLE);
    const ways = [
      await running.api('POST', path, { token, raw: data, headers: { 'content-type': 'application/json' } }),
      await owner.post(`/devices/${id}/setSafeZone`, { data: TRIANGLE }),
      await running.api('POST', path, { token, raw: `data=${encodeURIComponent(data)}`, headers: form }),
    ];
    for (const { status, text, body } of ways) {
      assert.equal(status, 200, text);
      assert.deepEqual(body.outline, TRIANGLE);
      assert.equal(body.id, ways[0]!.body.id);
    }
    const { body: seen } = await owner.get(`/devices/${id}/getSafeZone`);
    assert.equal(seen.name, 'Safe zone of Van');
    const { body: answer } = await running.api('POST', '/ingest/reports', { token: deviceKey, body: {} });
    assert.deepEqual([answer.geofence?.id, answer.config?.safeZoneId], [seen.id, seen.id]);
    for (const wrong of ['[{"lat":1,"lng":1}]', '[1,2,3]', '{"data":"x"}', '{}']) {
      const headers = { 'content-type': 'application/json' };
      const { status, body } = await running.api('POST', path, { token, raw: wrong, headers });
      assert.equal(status, 422, wrong);
      assert.deepEqual(Object.keys(body.error.details.codes), ['data'], wrong);
    }
    const gone = await running.api('POST', path, { token, raw: '[]', headers: { 'content-type': 'application/json' } });
    assert.deepEqual([gone.status, gone.text], [200, 'null']);
    assert.equal((await owner.get(`/devices/${id}/getSafeZone`)).status, 404);
  });

  test('two users share a list, and the statuses are the published ones', async () => {
    const { owner, other, admin } = station;
    const list = await v2('PUT', '/geofenceLists', owner, { name: 'Depots', color: '#36f' });
    assert.equal(list.status, 201, list.text);
    const under = `/geofenceLists/${list.body.id}`;
    const made = await v2('PUT', '/geofences', owner, { name: 'Yard', listId: list.body.id, radius: 5.5 });
    assert.deepEqual([made.status, made.body.radius, made.body.meta], [201, 6, {}], made.text);
    const fence = `/geofences/${made.body.id}`;
    assert.equal((await v2('GET', fence, other)).status, 404);
    const shared = await v2('POST', `${under}/share`, owner, { email: other.email });
    assert.deepEqual([shared.status, shared.body], [200, {}], shared.text);
    assert.equal((await v2('GET', under, other)).body.name, 'Depots');
    const page = await v2('GET', '/geofences?_include=list&_sort=name&_direction=desc', other);
    assert.equal(page.status, 200, page.text);
    assert.deepEqual([page.body.totalElements, page.body.data[0].list], [1, list.body]);
    assert.equal((await v2('GET', `${fence}?_include=list`, other)).body.list.color, '#36f');
    assert.equal((await v2('DELETE', fence, other)).status, 403);
    assert.equal((await v2('PUT', fence, other, { name: 'Mine' })).status, 403);
    assert.equal((await owner.get(`/users/me/geofences/${made.body.id}`)).body.radius, 5.5);
    assert.deepEqual((await other.get('/users/me/geofences')).body, [], 'version 1 lists own fences alone');
    assert.equal((await v2('PUT', '/geofences', admin, { listId: list.body.id })).status, 400);
    assert.equal((await v2('PUT', '/geofenceLists', owner, { name: 'no color' })).status, 400);

    const gone = await v2('DELETE', `${under}/share?email=${other.email}`, owner);
    assert.deepEqual([gone.status, gone.body], [200, {}], gone.text);
    for (const path of [under, fence]) assert.equal((await v2('GET', path, other)).status, 404);
    assert.equal((await v2('DELETE', `${under}/user/${owner.id}`, owner)).status, 400);
    assert.deepEqual((await v2('DELETE', `${fence}/list`, owner)).body, {});
    const twice = await v2('DELETE', `${fence}/list`, owner);
    assert.deepEqual([twice.status, twice.body.code], [410, 410]);
    assert.equal((await v2('PUT', `${fence}/list/${list.body.id}`, owner)).status, 200);
    assert.deepEqual((await v2('DELETE', under, owner)).body, {});
    assert.equal((await v2('GET', fence, owner)).body.listId, null);
    assert.equal((await v2('DELETE', fence, owner)).status, 204);
  });
});
