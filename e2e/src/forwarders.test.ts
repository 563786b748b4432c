import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { after, before } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station } from './harness/station.ts';

const ARN = 'arn:aws:sqs:eu-west-1:123456789012:queue';

interface Arrived {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A user's server that receives webhooks. */
class Hook {
  readonly #server: Server;
  readonly #arrived: Arrived[] = [];
  readonly #waiting = new Set<() => void>();

  constructor() {
    this.#server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      this.#arrived.push({ path: request.url!, headers: request.headers, text });
      response.end();
      for (const look of this.#waiting) look();
    });
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  address(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** The first request to a path, once it has arrived. */
  async first(path: string): Promise<Arrived> {
    for (;;) {
      const found = this.#arrived.find((one) => one.path === path);
      if (found) return found;
      await new Promise<void>((resolve) => {
        const look = () => {
          this.#waiting.delete(look);
          resolve();
        };
        this.#waiting.add(look);
      });
    }
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

onEitherEngine(
  'forwarders',
  (running) => {
    let station: Station;
    const hook = new Hook();
    before(async () => {
      station = await makeStation(running.api);
      await hook.open();
    });
    after(() => hook.close());

    async function reporting(name: string) {
      const body = { name, imei: `imei of ${name}` };
      const { id, deviceKey } = await station.owner.client.createDevice({ body });
      const report = (body: object) =>
        running.api('POST', '/ingest/reports', { headers: { authorization: `Bearer ${deviceKey}` }, body });
      return { id, report };
    }

    test('a position that a device reports arrives at a webhook, signed and in its envelope', async () => {
      const { owner } = station;
      const { id, report } = await reporting('forwarded');
      const body = { kind: 'http', target: hook.address('/data') } as const;
      const { secret } = await owner.client.createForwarder({ id, body });
      assert.equal((await report({ points: [{ location: { lat: 1.5, lng: 2.5 }, speed: 40 }] })).status, 200);
      const { headers, text } = await hook.first('/data');
      assert.equal(headers['content-type'], 'text/plain; charset=UTF-8');
      assert.equal(headers['x-amz-sns-message-type'], 'Notification');
      new Webhook(secret!).verify(text, headers as Record<string, string>);
      const envelope = JSON.parse(text);
      assert.equal(envelope.MessageId, headers['webhook-id']);
      const { notification, datapoint, device } = JSON.parse(envelope.Message);
      assert.equal(notification.params.type, 'newLoc');
      assert.deepEqual(datapoint.location, { lat: 1.5, lng: 2.5 });
      assert.deepEqual(device, { id, imei: 'imei of forwarded' });
      const shown = await owner.client.getPoint({ id, fk: datapoint.id });
      assert.deepEqual(datapoint, shown, 'the point as the API shows it');
    });

    test('a pressed button calls the webhook of its trigger, and the delivery is on record', async () => {
      const { owner } = station;
      const { id, report } = await reporting('pressed');
      const delivery = { http: true, push: true };
      const parameters = { endpoint: hook.address('/button') };
      await owner.client.createNotificationTrigger({ id, body: { type: 'button', delivery, parameters } });
      await report({ points: [{ alertType: 8 }] });
      const { notification } = JSON.parse(JSON.parse((await hook.first('/button')).text).Message);
      assert.equal(notification.params.message, 'The button on pressed was pressed');
      const deliveries = await owner.client.listNotificationDeliveries({ id: notification.id });
      const push = deliveries.find(({ channel }) => channel === 'push');
      assert.deepEqual([push?.status, push?.reason], ['suppressed', 'No browser is subscribed to push notifications']);
      assert.ok(deliveries.some(({ channel }) => channel === 'http'));
    });

    test('a forwarder says what its operator has not set up', async () => {
      const { owner } = station;
      const { id } = await reporting('unsent');
      const { status } = await owner.make(`/devices/${id}/forwarders`, { kind: 'mqtt' });
      assert.match(status, /TRACKWAY_MQTT_URL/);
      assert.equal((await owner.get(`/devices/${id}/forwarders`)).body[0].status, status);
      const info = (await running.api('GET', '/api/info')).body;
      assert.deepEqual([info.channels.mqtt, info.channels.http, info.channels.push], [false, true, true]);
      assert.equal(Buffer.from(info.pushKey, 'base64url').length, 65);
    });

    test('addresses that nobody may call are refused with a clear sentence', async () => {
      const { owner, device } = station;
      for (const target of ['http://10.0.0.1/', 'http://169.254.169.254/latest', 'ftp://example.com/', 'nonsense']) {
        const made = await owner.post(`/devices/${device}/forwarders`, { kind: 'http', target });
        assert.equal(made.status, 422, target);
        assert.deepEqual(Object.keys(made.body.error.details.codes), ['target']);
        const trigger = { type: 'button', delivery: { http: true }, parameters: { endpoint: target } };
        assert.equal((await owner.post(`/devices/${device}/notificationTriggers`, trigger)).status, 422, target);
      }
      const topic = await owner.post(`/devices/${device}/forwarders`, { kind: 'mqtt', target: 'users/1/#' });
      assert.equal(topic.status, 422);
    });

    test('a queue belongs to whoever an admin says, and to nobody who has only named it', async () => {
      const { admin, owner, other, device, otherDevice } = station;
      const setUp = (who: typeof owner, id: number) => who.post(`/devices/${id}/setupSqsForwarding`, { sqsArn: ARN });
      assert.equal((await setUp(owner, device)).status, 200);
      assert.equal((await setUp(other, otherDevice)).status, 200);
      const [named] = (await admin.get('/queues')).body;
      assert.equal((await admin.put(`/queues/${named.id}`, { userId: owner.id })).status, 200);
      const refused = await setUp(other, otherDevice);
      assert.equal(refused.status, 422);
      assert.match(refused.body.error.message, /belongs to another account/);
      const trigger = { type: 'button', delivery: { sqsArn: ARN } };
      assert.equal((await other.post(`/devices/${otherDevice}/notificationTriggers`, trigger)).status, 422);
      const [queue] = (await admin.get('/queues')).body;
      assert.deepEqual([queue.arn, queue.userId], [ARN, owner.id]);
      assert.equal((await admin.put(`/queues/${queue.id}`, { allowed: [other.id] })).status, 200);
      assert.deepEqual((await setUp(other, otherDevice)).body, { status: 'ok' });
    });

    test('a profile keeps a time zone and quiet hours that make sense', async () => {
      const { owner } = station;
      const quietHours = { from: '22:30', to: '06:00' };
      const kept = await owner.put(`/users/${owner.id}`, { timeZone: 'Europe/Berlin', quietHours });
      assert.equal(kept.status, 200, kept.text);
      assert.deepEqual([kept.body.timeZone, kept.body.quietHours], ['Europe/Berlin', quietHours]);
      for (const wrong of [
        { timeZone: 'Nowhere/At_all' },
        { quietHours: { from: '22:30' } },
        { quietHours: { from: 'late', to: 'early' } },
        { quietHours: 'always' },
      ])
        assert.equal((await owner.put(`/users/${owner.id}`, wrong)).status, 422, JSON.stringify(wrong));
      const cleared = await owner.put(`/users/${owner.id}`, { timeZone: null, quietHours: null });
      assert.deepEqual([cleared.body.timeZone, cleared.body.quietHours], [null, null]);
    });
  },
  { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8' },
);
