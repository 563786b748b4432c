import assert from 'node:assert/strict';
import { h02 } from '@trackway/simulator/trackers/h02.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import mqtt from 'mqtt';
import { Browser } from '../../../server/src/testing/browser.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { EventSource } from '../harness/event-source.ts';
import type { Voice } from '../harness/station.ts';
import { connectTracker } from '../harness/tracker.ts';
import type { Thing } from './ended-rights.ts';
import { DEVICE_NAME, type Scene } from './ended-rights-scene.ts';

/** With which the operator's broker asks the server. */
export const HOOK_SECRET = 'the secret of the hooks';

/** A thing that the holder made. */
export interface Made {
  /** Resolves once the first news has reached the holder by it: otherwise its end would prove nothing. */
  works(): Promise<void>;
  /** Leaves something waiting that was caused while the right was there. */
  waits?(): Promise<void>;
  /** Called when the right has just ended. */
  ended?(): void;
  /** What waited may go now, and something harmless behind it: resolves once that has arrived. */
  release?(): Promise<void>;
  /** Whether anything of the device reached the holder, or the device by them, since the right ended. */
  reached(): boolean | Promise<boolean>;
  close?(): void;
}

/** A webhook of the holder: whether more arrived since the end. */
function webhook({ ends }: Scene, path: string): Made {
  let before = 0;
  return {
    works: async () => {
      await eventually(`the ${path} works`, () => ends.at(path).length > 0);
    },
    ended: () => {
      before = ends.at(path).length;
    },
    reached: () => ends.at(path).length > before,
  };
}

/** A browser of the holder: what it shows, and whether that was about the device since the end. */
async function browser({ ends, holder }: Scene, path: string): Promise<Made & { texts(): string[]; name: string }> {
  const own = new Browser();
  const endpoint = ends.urlOf(path);
  await holder.make('/users/me/pushSubscriptions', { endpoint, keys: own.keys });
  const texts = () => ends.at(path).map((body) => own.read(body));
  const reports = (text: string) => text.includes(DEVICE_NAME);
  let before = 0;
  return {
    name: path,
    texts,
    works: async () => {
      await eventually(`${path} shows it`, () => texts().some(reports));
    },
    ended: () => {
      before = ends.at(path).length;
    },
    reached: () => texts().slice(before).some(reports),
  };
}

/** Whoever has the link sees the device by it, or nothing. */
function publicPage(api: Scene['api'], url: string) {
  const [, handle, secret] = /\/l\/(\w+)#(\w+)$/.exec(url)!;
  const look = () => api('POST', '/api/links/open', { body: { handle, secret } });
  return {
    async works() {
      const { status, body, text } = await look();
      assert.equal(status, 200, text);
      assert.notEqual(body.devices[0].position, null);
    },
    async reached() {
      const { status, body } = await look();
      if (status !== 200) assert.equal(body.error.code, 'LINK_ENDED');
      return status === 200 && body.devices.length > 0;
    },
  };
}

const watching = (path: string, scene: Scene) => ({
  delivery: { http: true },
  parameters: { endpoint: scene.ends.urlOf(path) },
});

/** From an hour ago until an hour before that: it is always quiet. */
function quietHours() {
  const clock = (at: number) => new Date(at).toISOString().slice(11, 16);
  return { from: clock(Date.now() - 3_600_000), to: clock(Date.now() - 7_200_000) };
}

/** What the broker is answered when it asks whether somebody may connect. */
async function mayConnect({ api }: Scene, body: object): Promise<boolean> {
  const headers = { authorization: `Bearer ${HOOK_SECRET}` };
  const { status, body: answer, text } = await api('POST', '/broker/auth', { body, headers });
  assert.equal(status, 200, text);
  return answer.result === 'allow';
}

const isGone = ({ way }: Scene) => way === 'user deleted';

async function setHours({ admin, holder }: Scene, hours: object | null): Promise<void> {
  const { status, text } = await admin.put(`/users/${holder.id}`, { quietHours: hours });
  assert.equal(status, 200, text);
}

interface Delivery {
  readonly status: string;
  readonly what: string;
  readonly notificationId: number | null;
  readonly reason: string | null;
}

const deliveriesOf = async ({ admin, holder }: Scene) =>
  (await admin.get(`/users/${holder.id}/deliveries`)).body as Delivery[];

/** A busy server evaluates a message after it has answered: the hours may end only once both are held. */
async function talkInQuiet(scene: Scene): Promise<void> {
  await scene.talk();
  await eventually(
    'both are held',
    () => deliveriesOf(scene),
    (all) => {
      const held = all.filter(({ status, reason }) => status === 'queued' && reason?.startsWith('Quiet hours'));
      return new Set(held.map(({ notificationId }) => notificationId)).size >= 2;
    },
  );
}

/** Tries a destination of the holder again, with a test behind all that waits there; resolves once that has arrived. */
async function tryAgain(scene: Scene, path: string): Promise<void> {
  const { admin, holder, ends } = scene;
  ends.heal();
  const all = (await admin.get(`/users/${holder.id}/destinations`)).body as { id: number; target: string }[];
  const { id } = all.find(({ target }) => target === ends.urlOf(path))!;
  const at = `/users/${holder.id}/destinations/${id}`;
  const { id: testId } = await admin.make(`${at}/test`);
  await admin.post(`${at}/reopen`);
  await eventually(
    `a test arrives at ${path}`,
    async () => (await admin.get(`/users/${holder.id}/deliveries?filter={"where":{"id":${testId}}}`)).body[0],
    ({ status }) => status === 'sent',
  );
}

export const MAKE: Readonly<Record<Thing, (scene: Scene) => Promise<Made>>> = {
  async trigger(scene) {
    const { holder, device } = scene;
    await holder.make(`/devices/${device.id}/notificationTriggers`, { type: 'button', ...watching('trigger', scene) });
    return webhook(scene, 'trigger');
  },

  async rule(scene) {
    const { holder, groupId } = scene;
    const rule = { type: 'button', appliesTo: 'group', groupId, ...watching('rule', scene) };
    const { id } = await holder.make('/users/me/rules', rule);
    await eventually(
      'the rule reaches the device',
      async () => (await holder.get(`/users/me/rules/${id}`)).body as { deviceCount: number; isSettled: boolean },
      ({ deviceCount, isSettled }) => isSettled && deviceCount === 1,
    );
    return webhook(scene, 'rule');
  },

  async forwarder(scene) {
    const target = scene.ends.urlOf('forwarder');
    await scene.holder.make(`/devices/${scene.device.id}/forwarders`, { kind: 'http', target });
    return webhook(scene, 'forwarder');
  },

  async link({ holder, device, api, news }) {
    const { url } = await holder.make(`/devices/${device.id}/links`, { trail: true });
    return { ...publicPage(api, url), release: news };
  },

  async 'group link'({ holder, groupId, api, news }) {
    const { url } = await holder.make('/users/me/groupLinks', { groupId, trail: true });
    return { ...publicPage(api, url), release: news };
  },

  async 'proximity trigger'(scene) {
    const { holder, device, companion } = scene;
    const { delivery, parameters } = watching('proximity', scene);
    await holder.make(`/devices/${companion.id}/notificationTriggers`, {
      type: 'proximity',
      delivery,
      parameters: { ...parameters, deviceId: device.id, meters: 100 },
    });
    return webhook(scene, 'proximity');
  },

  async 'safe zone'(scene) {
    const { holder, admin, device } = scene;
    const zone = { name: 'zone', center: { lat: 50, lng: 8 }, radius: 500, deviceId: device.id };
    const { id } = await holder.make('/users/me/geofences', zone);
    const put = await holder.put(`/devices/${device.id}/config`, { safeZoneId: id });
    assert.equal(put.status, 200, put.text);
    return {
      works: async () => assert.equal(scene.lastAnswer().body.geofence?.id, id),
      async release() {
        // As its owner would, to have another zone sent.
        if (!isGone(scene)) await admin.put(`/users/${holder.id}/geofences/${id}`, { radius: 700 });
        await scene.news();
      },
      async reached() {
        const { safeZoneId } = (await admin.get(`/devices/${device.id}/config`)).body;
        return scene.lastAnswer().body.geofence !== undefined || safeZoneId !== null;
      },
    };
  },

  async 'push subscription'(scene) {
    const { holder, device } = scene;
    await holder.make(`/devices/${device.id}/notificationTriggers`, { type: 'button', delivery: { push: true } });
    return browser(scene, 'browser');
  },

  async 'personal token'({ api, holder, device }) {
    const made = await api('POST', '/v2/users/personalAccessTokens', {
      token: holder.token,
      body: { description: 'script' },
    });
    assert.equal(made.status, 200, made.text);
    const { token } = made.body as { token: string };
    const reads = async () => (await api('GET', `/api/devices/${device.id}/points`, { token })).status === 200;
    return {
      works: async () => assert.ok(await reads()),
      async reached() {
        const change = await api('PUT', `/api/devices/${device.id}/config`, { token, body: { interval: 77 } });
        assert.notEqual(change.status, 200, 'the configuration was changed');
        return reads();
      },
    };
  },

  async 'MQTT credentials'(scene) {
    const { holder, device, companion } = scene;
    const { clientId, username, password, url } = await holder.client.getMqttCredentials({ id: 'me' });
    const client = await mqtt.connectAsync(url, { clientId, username, password, reconnectPeriod: 0 });
    const received: { readonly topic: string; readonly at: number }[] = [];
    client.on('message', (topic, payload) => {
      const { timestamp } = JSON.parse(payload.toString()) as { timestamp: string };
      received.push({ topic, at: Date.parse(timestamp) });
    });
    await client.subscribeAsync(`users/${holder.id}/#`, { qos: 2 });
    const isAbout = (id: number, since = 0) =>
      received.some(({ topic, at }) => at >= since && topic.includes(`/devices/${id}/`));
    let endedAt = 0;
    return {
      works: async () => {
        assert.ok(await mayConnect(scene, { username, password, clientId }));
        await eventually('the broker gets both', () => isAbout(device.id) && isAbout(companion.id));
      },
      // Notifications of earlier events may still be on their way, so an event counts by its own time.
      ended: () => {
        endedAt = Date.now();
      },
      async reached() {
        if (isGone(scene)) assert.equal(await mayConnect(scene, { username, password, clientId }), false);
        return isAbout(device.id, endedAt);
      },
      close: () => client.end(true),
    };
  },

  async 'live stream'({ address, holder, device, companion }) {
    const source = new EventSource(address, '', { authorization: holder.token });
    await source.ready();
    const isAbout = (id: number) => (one: EventSource['events'][number]) =>
      one.event !== 'access' && (one.data.deviceId === id || one.data.id === id);
    const count = (id: number) => source.events.filter(isAbout(id)).length;
    let before = 0;
    return {
      async works() {
        // The companion reports last, so all of the device has come before it.
        await source.until(() => count(device.id) > 0 && count(companion.id) > 2, 'the stream to send it');
      },
      ended() {
        before = count(device.id);
      },
      reached: () => count(device.id) > before,
      close: () => source.close(),
    };
  },

  async 'gateway reading'(scene) {
    const { api, holder, device, companion, admin } = scene;
    const path = `/devices/${companion.id}/gatewayReadings`;
    const reading = { type: 'temp', value: 20, deviceId: device.id };
    const { id } = await holder.make(path, reading);
    return {
      async works() {
        const { status, text } = await holder.put(`${path}/${id}`, { value: 21 });
        assert.equal(status, 200, text);
      },
      async reached() {
        const body = { ...reading, value: 99 };
        const made = await api('POST', `/api${path}`, { token: holder.token, body });
        // Of a device that may be restored, what was there before stays theirs who had the right.
        if (scene.way !== 'device deleted') await holder.put(`${path}/${id}`, { value: 99 });
        const kept = (await admin.get(`${path}/${id}`)).body.value;
        return made.status === 200 || kept === 99;
      },
    };
  },

  async export({ holder, device }) {
    const read = () => holder.get(`/devices/${device.id}/export?format=csv`);
    return {
      works: async () => assert.match((await read()).text, /\d{4}-\d\d-\d\dT.*,50\.1,8,/),
      reached: async () => (await read()).status === 200,
    };
  },

  async report({ holder, device, api }) {
    const range = {
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    };
    const rows = async () => {
      const body = { kind: 'summary', deviceIds: [device.id], ...range };
      const { status, body: answer } = await api('POST', '/api/reports/fleet', { token: holder.token, body });
      return status === 200 ? (answer.rows as unknown[]).length : 0;
    };
    return {
      works: async () => assert.ok((await rows()) > 0, 'the report has rows'),
      reached: async () => (await rows()) > 0,
    };
  },

  async 'held notification'(scene) {
    const { holder, device, companion } = scene;
    for (const { id } of [device, companion])
      await holder.make(`/devices/${id}/notificationTriggers`, { type: 'newMsg', delivery: { push: true } });
    const shown = await browser(scene, 'quiet-browser');
    let before = 0;
    return {
      ...shown,
      async waits() {
        await setHours(scene, quietHours());
        await talkInQuiet(scene);
        before = shown.texts().length;
      },
      async release() {
        if (isGone(scene)) return;
        await setHours(scene, null);
        await eventually('what is still theirs arrives', () =>
          shown
            .texts()
            .slice(before)
            .some((text) => text.includes('companion')),
        );
      },
    };
  },

  async 'queued digest'(scene) {
    const shown = await browser(scene, 'digest-browser');
    return {
      ...shown,
      async waits() {
        await setHours(scene, quietHours());
        await talkInQuiet(scene);
        scene.ends.fail(shown.name);
        await setHours(scene, null);
        await eventually(
          'the digest waits',
          () => deliveriesOf(scene),
          (all) => all.some(({ what, status }) => what === 'digest' && status === 'queued'),
        );
      },
      release: async () => (isGone(scene) ? undefined : tryAgain(scene, shown.name)),
    };
  },

  async 'queued delivery'(scene) {
    const { holder, admin, device, ends } = scene;
    ends.fail('broken');
    await holder.make(`/devices/${device.id}/notificationTriggers`, { type: 'button', ...watching('broken', scene) });
    await holder.make(`/devices/${device.id}/forwarders`, { kind: 'http', target: ends.urlOf('broken') });
    const reports = (body: Buffer) => !body.includes('This is a test');
    return {
      async works() {
        await eventually(
          'both wait',
          async () =>
            (await admin.get(`/users/${holder.id}/destinations`)).body as { target: string; waiting: number }[],
          (all) => all.some(({ target, waiting }) => target === ends.urlOf('broken') && waiting >= 2),
        );
      },
      release: async () => (isGone(scene) ? undefined : tryAgain(scene, 'broken')),
      reached: () => ends.at('broken').some(reports),
    };
  },

  async 'queued command'(scene) {
    const { holder, device } = scene;
    const { id } = await holder.make(`/devices/${device.id}/messages`, { message: 'reboot' });
    // It is sent with each answer until the device confirms it.
    const isSent = () => (scene.lastAnswer().body.messages ?? []).some((sent: { id: number }) => sent.id === id);
    return { works: async () => assert.ok(isSent()), reached: isSent };
  },

  async 'tracker command'(scene) {
    const { owner, holder, device, trackersPort } = scene;
    const imei = imeiOf(7000 + device.id);
    const put = await owner.put(`/devices/${device.id}`, { imei, allowKeyless: true });
    assert.equal(put.status, 200, put.text);
    const closing: (() => unknown)[] = [];
    const connected = async () => {
      const tracker = await connectTracker(
        { after: (close) => void closing.push(close as () => unknown) },
        h02,
        imei,
        trackersPort,
      );
      tracker.say(heartbeat);
      return { ...tracker, text: () => Buffer.from(tracker.received(), 'hex').toString('latin1') };
    };
    const heartbeat = Buffer.from(`*HQ,${imei},HTBT#`);
    const sent = (voice: Voice, command: string) => voice.post(`/devices/${device.id}/commands`, { command });
    let after: Awaited<ReturnType<typeof connected>> | undefined;
    return {
      async works() {
        const tracker = await connected();
        assert.equal((await sent(holder, 'reboot')).status, 200);
        await eventually('the command arrives', () => tracker.text().includes(',R1,'));
        tracker.say(Buffer.from(`*HQ,${imei},V4,R1,DONE#`));
        await eventually(
          'it is confirmed',
          async () => (await owner.get(`/devices/${device.id}/messages?filter[order]=id%20DESC`)).body,
          (all: { state: string; command: unknown }[]) =>
            all.every(({ command, state }) => !command || state === 'confirmed'),
        );
        tracker.socket.destroy();
        // Waits until the tracker is connected again.
        assert.equal((await sent(holder, 'engineResume')).status, 200);
      },
      async release() {
        const tracker = await connected();
        after = tracker;
        await sent(owner, 'reboot');
        // The command of the former holder would arrive first. A device that is gone is refused.
        await eventually('the tracker has received all', () => {
          if (!tracker.isClosed()) tracker.say(heartbeat);
          return tracker.isClosed() || /,(R1|S20),/.test(tracker.text());
        });
      },
      reached: () => after!.text().includes(',S20,'),
      close: () => {
        for (const close of closing) close();
      },
    };
  },
};
