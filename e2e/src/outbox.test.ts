import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { MIGRATIONS } from '../../server/src/domain/schema/migrations.ts';
import { CREDENTIALS, sqsEnd } from '../../server/src/edge/channels/testing/sqs-end.ts';
import { onEitherEngine, type TestDatabasePlace } from '../../server/src/testing/databases.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type Api, apiOf } from './harness/api.ts';
import { startReceiver } from './harness/receiver.ts';
import { type ServerProcess, startServer } from './harness/server-process.ts';
import { makeStation, type Voice } from './harness/station.ts';

/** Deliveries through real processes: each arrives, and only once except after a kill. */

/** The most deliveries that one process sends to a webhook at once: this many may arrive twice after a kill. */
const WINDOW = 32;
const INWARDS = { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8' };
const START = Date.now() - 3_600_000;

onEitherEngine('the outbox', { migrations: [] }, (open) => {
  describe('of a real process', () => {
    const { storeKind: engine } = open;
    const servers: ServerProcess[] = [];
    const apis: Api[] = [];
    const end = async () => {
      for (const api of apis.splice(0)) api.close();
      for (const server of servers.splice(0)) await server.stop();
    };
    afterEach(end);
    after(end);

    async function serve(place: TestDatabasePlace, settings: Record<string, string> = INWARDS): Promise<Api> {
      const server = await startServer(engine, place, settings);
      servers.push(server);
      apis.push(apiOf(server.address));
      return apis.at(-1)!;
    }

    async function report(api: Api, key: string, from: number, count: number): Promise<void> {
      const points = Array.from({ length: count }, (_, i) => ({
        timestamp: START + (from + i) * 1000,
        location: { lat: 50, lng: 8 + (from + i) / 1e5 },
        speed: from + i,
      }));
      const { status, text } = await api('POST', '/ingest/reports', { token: key, body: { points } });
      assert.equal(status, 200, text);
    }

    const keyOf = async (owner: Voice, device: number): Promise<string> =>
      (await owner.client.rotateDeviceKey({ id: device })).deviceKey!;

    const queueSettings = (endpoint: string) => ({
      TRACKWAY_SQS_ENDPOINT: endpoint,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    });

    test('a queue gets nothing but a code until its user gives the code back', async (t) => {
      const queues = await sqsEnd(t);
      const sqsArn = await queues.makeQueue('proven');
      const api = await serve(await open.migratedPlace(MIGRATIONS), queueSettings(queues.endpoint));
      const { owner, other, device, otherDevice } = await makeStation(api);
      const key = await keyOf(owner, device);
      for (const [who, id] of [
        [other, otherDevice],
        [owner, device],
      ] as const) {
        const { status } = await who.get(`/devices/${id}/setupSqsForwarding?sqsArn=${sqsArn}`);
        assert.equal(status, 200, 'naming a queue keeps nobody else from it');
      }
      const [unproven] = (await other.get(`/devices/${otherDevice}/forwarders`)).body;
      assert.match(unproven.status, /not verified.*POST \/queues\/proofs/);
      await report(api, await keyOf(other, otherDevice), 1, 1);
      await eventually(
        'the delivery is given up',
        async () => (await other.client.listDeliveries({ id: other.id }))[0],
        (seen) => seen?.status === 'dead' && /not verified/.test(seen.reason ?? ''),
      );
      assert.deepEqual(await queues.take('proven'), []);

      assert.equal((await owner.post('/queues/proofs', { arn: sqsArn })).status, 200);
      const [letter] = await eventually(
        'the code is in the queue',
        () => queues.take('proven'),
        ({ length }) => length > 0,
      );
      const { code } = JSON.parse(letter!.Body!);
      const wrong = await owner.post('/queues/proofs/confirm', { arn: sqsArn, code: `${code}x` });
      assert.equal(wrong.status, 422);
      assert.equal((await other.post('/queues/proofs/confirm', { arn: sqsArn, code })).status, 422, 'not their code');
      const proven = await owner.post('/queues/proofs/confirm', { arn: sqsArn, code });
      assert.equal(proven.status, 200, proven.text);
      assert.equal((await owner.post('/queues/proofs/confirm', { arn: sqsArn, code })).status, 422, 'it works once');
      assert.equal((await other.get(`/devices/${otherDevice}/forwarders`)).body[0].active, false);
      assert.equal((await owner.get(`/devices/${device}/setupSqsForwarding?sqsArn=${sqsArn}`)).status, 200);
      await report(api, key, 7, 1);
      const taken = await eventually(
        'a position is in the queue',
        () => queues.take('proven'),
        ({ length }) => length > 0,
      );
      assert.equal(JSON.parse(JSON.parse(taken[0]!.Body!).Message).datapoint.speed, 7);
    });

    test('operation 2: a position that a device reports arrives in the queue', async (t) => {
      const queues = await sqsEnd(t);
      const sqsArn = await queues.makeQueue('positions');
      const allowed = { ...queueSettings(queues.endpoint), TRACKWAY_SQS_ALLOW: 'arn:aws:sqs:*:positions' };
      const api = await serve(await open.migratedPlace(MIGRATIONS), allowed);
      const { owner, device } = await makeStation(api);
      const key = await keyOf(owner, device);
      const setUp = await owner.get(`/devices/${device}/setupSqsForwarding?sqsArn=${sqsArn}`);
      assert.deepEqual(setUp.body, { status: 'ok' });
      await report(api, key, 7, 1);
      const taken = await eventually(
        'a message is in the queue',
        () => queues.take('positions'),
        ({ length }) => length > 0,
      );
      assert.equal(taken.length, 1);
      const envelope = JSON.parse(taken[0]!.Body!);
      assert.equal(envelope.Type, 'Notification');
      const message = JSON.parse(envelope.Message);
      assert.equal(message.notification.params.type, 'newLoc');
      assert.equal(message.datapoint.speed, 7);
      assert.deepEqual(message.device.id, device);
      const delivery = await eventually(
        'the delivery is sent',
        async () => (await owner.client.listDeliveries({ id: owner.id }))[0],
        (seen) => seen?.status === 'sent',
      );
      assert.equal(delivery?.messageId, envelope.MessageId);
      const [forwarder] = await owner.client.listForwarders({ id: device });
      assert.equal(forwarder?.status, 'Working.');
      assert.equal(forwarder?.waiting, 0);
    });

    test('what came while a destination was down goes out when it is back, all of it, once and in order', async () => {
      const receiver = await startReceiver();
      await receiver.close();
      const api = await serve(await open.migratedPlace(MIGRATIONS));
      const { owner, device } = await makeStation(api);
      const key = await keyOf(owner, device);
      await owner.make(`/devices/${device}/forwarders`, { kind: 'http', target: receiver.address });
      for (let i = 0; i < 5; i++) await report(api, key, i * 30, 30);
      const path = `/users/${owner.id}/destinations`;
      const down = await eventually(
        'the destination is down, and all waits for it',
        async () => (await owner.get(path)).body[0],
        ({ state, waiting }) => state === 'down' && waiting === 150,
      );
      assert.match(down.lastError, /\w/);
      const [forwarder] = (await owner.get(`/devices/${device}/forwarders`)).body;
      assert.match(forwarder.status, /^Down, retrying/);
      await receiver.listen();
      await owner.make(`${path}/${down.id}/reopen`);
      await receiver.has(150);
      await eventually(
        'all is sent',
        async () => (await owner.get(`${path}/${down.id}`)).body,
        ({ state, waiting }) => state === 'up' && waiting === 0,
      );
      assert.equal(receiver.received.length, 150, 'a failure that was clear repeats nothing');
      const speeds = receiver.received.map((id) => receiver.messages.get(id).datapoint.speed);
      assert.deepEqual(
        speeds,
        Array.from({ length: 150 }, (_, i) => i),
      );
      await receiver.close();
    });

    test('a process that is killed while it sends loses nothing, and repeats no more than was under way', async () => {
      const receiver = await startReceiver();
      receiver.delayMs = 5;
      const place = await open.migratedPlace(MIGRATIONS);
      const api = await serve(place);
      const { owner } = await makeStation(api);
      const keys: string[] = [];
      for (let i = 0; i < 20; i++) {
        const { id, deviceKey } = await owner.client.createDevice({ body: { name: `device ${i}` } });
        await owner.client.createForwarder({ id, body: { kind: 'http', target: receiver.address } });
        keys.push(deviceKey!);
      }
      const killed = receiver.has(60).then(() => servers[0]!.kill());
      for (const key of keys) await report(api, key, 0, 20).catch(() => {});
      await killed;
      await end();

      const again = await serve(place);
      // A report that was not acknowledged is sent again, and must not add a second position.
      for (const key of keys) await report(again, key, 0, 20);
      await receiver.has(400);
      const path = `/users/${owner.id}/deliveries/count?where=${encodeURIComponent('{"status":"sent"}')}`;
      await eventually(
        'all is sent',
        async () => (await again('GET', `/api${path}`, { token: owner.token })).body.count,
        (count) => count === 400,
      );
      const repeats = receiver.received.length - receiver.messages.size;
      assert.equal(receiver.messages.size, 400);
      assert.ok(repeats <= WINDOW, `${repeats} came twice`);
      await receiver.close();
    });

    if (engine === 'postgres') {
      test('two processes that share a database send nothing twice', async () => {
        const receiver = await startReceiver();
        const place = await open.migratedPlace(MIGRATIONS);
        const both = [await serve(place), await serve(place)] as const;
        const { owner, device, other, otherDevice } = await makeStation(both[0]);
        const devices = [
          [owner, device],
          [other, otherDevice],
        ] as const;
        const keys = await Promise.all(devices.map(([voice, id]) => keyOf(voice, id)));
        for (const [voice, id] of devices) {
          await voice.make(`/devices/${id}/forwarders`, { kind: 'http', target: receiver.address });
        }
        for (let i = 0; i < 10; i++) {
          await Promise.all(keys.map((key, k) => report(both[(i + k) % 2]!, key, i * 10, 10)));
        }
        await receiver.has(200);
        await eventually(
          'nothing waits',
          async () => (await owner.get(`/users/${owner.id}/destinations`)).body[0].waiting,
          (waiting) => waiting === 0,
        );
        assert.equal(receiver.received.length, 200);
        await receiver.close();
      });
    }
  });
});
