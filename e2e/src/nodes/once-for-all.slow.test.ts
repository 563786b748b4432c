import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../../server/src/domain/schema/migrations.ts';
import { onPostgres } from '../../../server/src/testing/databases.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { lookInto } from '../../../server/src/testing/place.ts';
import { apiOf } from '../harness/api.ts';
import { alwaysUp, clockAhead, fallSilent, notifiedDevices, startNodes } from '../harness/nodes.ts';
import { adminOf } from '../harness/people.ts';
import { startReceiver } from '../harness/receiver.ts';
import { type Voice, voiceOf } from '../harness/station.ts';

const MINUTE_MS = 60_000;
const HOUR_S = 3600;

onPostgres('several nodes, the clocks of some wrong', { migrations: [] }, (open) => {
  /** Three nodes: one whose clock is right, one that is ahead, one that is behind. */
  async function setting(t: Parameters<typeof startNodes>[0]) {
    const place = await open.migratedPlace(MIGRATIONS);
    await alwaysUp(place);
    const receiver = await startReceiver();
    const nodes = await startNodes(t, place, [{}, clockAhead(90 * MINUTE_MS), clockAhead(-90 * MINUTE_MS)]);
    const apis = nodes.map(({ address }) => apiOf(address));
    t.after(async () => {
      for (const api of apis) api.close();
      await receiver.close();
    });
    const admin = voiceOf(apis[0]!, await adminOf(apis[0]!));
    const report = async (device: { deviceKey?: string | null }, node: number, body: object) => {
      const { status, text } = await apis[node]!('POST', '/ingest/reports', {
        headers: { authorization: device.deviceKey! },
        body,
      });
      assert.equal(status, 200, text);
    };
    return { place, receiver, nodes, apis, admin, report };
  }

  const watched = async ({ client }: Voice, endpoint: string) => {
    const device = await client.createDevice({ body: { name: 'van' } });
    const parameters = { after: HOUR_S, endpoint };
    await client.createNotificationTrigger({
      id: device.id,
      body: { type: 'offline', parameters, delivery: { http: true } },
    });
    return device;
  };
  const here = { points: [{ lat: 48, lng: 11 }] };

  test('devices that fall silent at once are notified once each, by notification and by webhook', async (t) => {
    const { place, receiver, admin, report } = await setting(t);
    const devices = [];
    for (let index = 0; index < 30; index++) devices.push(await watched(admin, receiver.address));
    const canary = await watched(admin, receiver.address);
    await Promise.all([...devices, canary].map((device, index) => report(device, index % 3, here)));
    const ids = devices.map(({ id }) => id).sort((a, b) => a - b);
    await fallSilent(place, ids, 2 * HOUR_S * 1000);
    await receiver.has(ids.length);
    // What comes later is evaluated later: by then nobody still evaluates the others.
    await fallSilent(place, [canary.id], 2 * HOUR_S * 1000);
    await receiver.has(ids.length + 1);
    assert.deepEqual(await notifiedDevices(place), [...ids, canary.id]);
    assert.equal(receiver.received.length, ids.length + 1);
  });

  test('a node that is ahead calls nobody silent who reports to another', async (t) => {
    const { place, receiver, nodes, admin, report } = await setting(t);
    const fresh = await watched(admin, receiver.address);
    const canaries = [await watched(admin, receiver.address), await watched(admin, receiver.address)];
    for (const device of [fresh, ...canaries]) await report(device, 0, here);
    await nodes[0]!.stop();
    await nodes[2]!.stop();
    for (const [index, canary] of canaries.entries()) {
      await fallSilent(place, [canary.id], 2 * HOUR_S * 1000);
      await receiver.has(index + 1);
    }
    assert.deepEqual(
      await notifiedDevices(place),
      canaries.map(({ id }) => id),
    );
  });

  test('no webhook is sent twice while each takes its time, and leases go by the clock of the database', async (t) => {
    const { place, receiver, admin, report } = await setting(t);
    receiver.delayMs = 2500;
    const devices = [];
    for (let index = 0; index < 16; index++) {
      const device = await admin.client.createDevice({ body: { name: 'van' } });
      const parameters = { endpoint: `${receiver.address}/${index}` };
      await admin.client.createNotificationTrigger({
        id: device.id,
        body: { type: 'newMsg', parameters, delivery: { http: true } },
      });
      devices.push(device);
    }
    for (let round = 0; round < 3; round++)
      await Promise.all(
        devices.map((device, index) => report(device, (index + round) % 3, { messages: [{ message: `m${round}` }] })),
      );
    await receiver.has(48);
    const isSettled = () =>
      lookInto(place, (store) => store.query.selectFrom('outbox').select('id').where('state', '<>', 'sent').execute());
    await eventually('all is recorded as sent', isSettled, (left) => left.length === 0);
    assert.equal(receiver.received.length, 48);

    receiver.delayMs = 10_000;
    await report(devices[0]!, 1, { messages: [{ message: 'last' }] });
    await receiver.has(49);
    const holder = () =>
      lookInto(place, (store) =>
        store.query.selectFrom('destinations').select('leaseUntil').where('leaseOwner', 'is not', null).execute(),
      );
    const [held] = await eventually('a destination is held', holder, (all) => all.length > 0);
    assert.ok(Math.abs(held!.leaseUntil! - Date.now()) < 60 * MINUTE_MS);
  });
});
