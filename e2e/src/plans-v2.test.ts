import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { onEitherEngine } from './harness/engines.ts';
import { makePerson } from './harness/people.ts';
import { makeStation, type Station, voiceOf } from './harness/station.ts';

const DAY_MS = 86_400_000;

/** Plans and credits in version 2, over HTTP. */
onEitherEngine('plans of version 2', (running) => {
  let station: Station;
  before(async () => {
    station = await makeStation(running.api);
  });

  test('credits are listed in pages, used by devices and bought by SKU', async () => {
    const { admin } = station;
    const user = voiceOf(running.api, await makePerson(running.api, admin, 'credits'));
    const call = (method: string, path: string, more: object = {}) =>
      running.api(method, `/v2${path}`, { token: user.token, ...more });
    const plan = await admin.make('/plans', { name: 'Standard', sku: 'STD', prices: { eur: [[1, 2]] } });
    await admin.make(`/users/${user.id}/plans`, { planId: plan.id, count: 25 });
    const { id: device } = await user.make('/devices', { serial: 'P-1' });

    const bad = await call('PUT', `/devices/${device}/plan`, { body: { planId: 999_999 } });
    assert.deepEqual([bad.status, bad.body.code], [400, 400]);
    const renewUntil = new Date(Date.now() + 90 * DAY_MS).toISOString();
    const put = await call('PUT', `/devices/${device}/plan`, { body: { planId: plan.id, renewUntil } });
    assert.equal(put.status, 201);
    assert.deepEqual([put.body.deviceId, put.body.renewUntil, put.body.renews], [device, renewUntil, true]);
    const again = await call('PUT', `/devices/${device}/plan`, { body: { planId: plan.id } });
    assert.deepEqual([again.status, again.body], [200, put.body]);

    const first = await call('GET', '/users/plans?_include=plan');
    assert.equal(first.status, 200);
    const { data, ...page } = first.body;
    assert.deepEqual(page, { limit: 10, page: 1, totalElements: 25, totalPages: 3 });
    assert.deepEqual([data[0].deviceId, data[0].consumedByDeviceId, data[0].plan.name], [device, device, 'Standard']);
    assert.deepEqual([data[1].deviceId, data[1].consumedOn], [null, null]);
    const last = await call('GET', `/users/${user.id}/plans?consumed=false&_limit=20&_page=2`);
    assert.deepEqual([last.body.data.length, last.body.totalElements], [4, 24]);
    const [entry] = (await call('GET', '/users/0/plans/summary')).body;
    assert.equal(entry.count, 24, 'the summary says the same');
    const asked = await call('GET', '/users/plans', { headers: { 'x-query': JSON.stringify({ deviceId: [device] }) } });
    assert.equal(asked.body.totalElements, 1);
    assert.equal((await call('GET', '/users/plans?_sort=name')).status, 400);
    assert.equal((await call('GET', `/users/${admin.id}/plans`)).status, 403);

    const offered = await call('GET', '/devices/plans?deviceIdentifiers=serial:P-1&_limit=1000');
    const shown = offered.body.data.find(({ id }: { id: number }) => id === plan.id);
    assert.deepEqual([shown.sku, 'prices' in shown, 'days' in shown], ['STD', false, false]);
    assert.equal((await call('GET', '/devices/plans?deviceIdentifiers=serial:none')).status, 404);

    const body = { deviceIdentifiers: ['serial:P-1', 'serial:none'], planId: plan.id };
    const many = await call('PUT', '/devices/plan', { body });
    assert.equal(many.status, 200);
    assert.deepEqual(many.body.summary, { totalRequested: 2, successCount: 1, errorCount: 1 });

    assert.equal(
      (await call('POST', '/users/buyPlans', { body: { currency: 'eur', products: { STD: 1 } } })).status,
      403,
    );
    const buy = {
      token: admin.token,
      headers: { 'idempotency-key': 'plans-1' },
      body: { currency: 'eur', products: { STD: 5 } },
    };
    const bought = await running.api('POST', '/v2/users/buyPlans', buy);
    assert.deepEqual([bought.status, bought.body.total], [200, 10]);
    const repeated = await running.api('POST', '/v2/users/buyPlans', buy);
    assert.deepEqual(repeated.body, bought.body, 'a repeat buys nothing');
    const unknown = { token: admin.token, body: { currency: 'eur', products: { NONE: 5 } } };
    assert.equal((await running.api('POST', '/v2/users/buyPlans', unknown)).status, 400);

    const ended = await call('DELETE', `/devices/${device}/plan`);
    assert.deepEqual([ended.status, ended.body], [200, {}]);
    assert.equal((await user.get(`/devices/${device}`)).body.active, false);
    assert.equal((await call('DELETE', `/devices/${device}/plan`)).status, 404);
  });
});
