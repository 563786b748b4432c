import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { startReceiver } from '../harness/receiver.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import { assertFits, inBrowser } from './harness.ts';
import { until } from './until.ts';

const DEPOT = { name: 'Depot', center: { lat: 52, lng: 5 }, radius: 200, meta: { exitAfter: 120 } };
const METRES_PER_DEGREE = 111_195;

interface Setting {
  readonly owner: Voice;
  readonly van: number;
  readonly fence: number;
  /** A fix so many metres north of the depot, so many seconds from the beginning; its id. */
  fix(metres: number, second: number): Promise<number>;
  watch(body: object): Promise<number>;
}

inBrowser(
  'Notifications in the console',
  (bed) => {
    async function setting(): Promise<Setting> {
      const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'told'));
      const van = (await owner.make('/devices', { name: 'Van 3' })).id;
      const fence = (await owner.make('/users/me/geofences', DEPOT)).id;
      const began = Date.now();
      return {
        owner,
        van,
        fence,
        async fix(metres, second) {
          const { lat, lng } = DEPOT.center;
          const location = { lat: lat + metres / METRES_PER_DEGREE, lng };
          const timestamp = new Date(began + second * 1000).toISOString();
          return (await owner.make(`/devices/${van}/points`, { timestamp, location, accuracy: 5 })).id;
        },
        watch: async (body) => (await owner.make(`/devices/${van}/notificationTriggers`, body)).id,
      };
    }

    test('what happens shows by itself, explains itself, and is struck through when it is taken back', async () => {
      const { owner, van, fence, fix, watch } = await setting();
      const fk = await watch({ type: 'geoEntry', name: 'Home again', parameters: { zoneId: fence } });
      await bed.visit('/notifications', { as: owner }, async (page) => {
        await page.getByRole('heading', { name: 'No notifications yet' }).waitFor();
        await fix(900, 1);
        const inside = await fix(0, 90);
        await page.getByRole('link', { name: /Van 3 entered Depot/ }).click();

        await page.getByRole('heading', { name: 'Van 3 entered Depot', level: 1 }).waitFor();
        await page.getByText(/Van 3 was \d+\s(ft|m) inside Depot \(± \d+\s(ft|m)\)\. Certain\./).waitFor();
        const evidence = page.getByRole('table', { name: 'Evidence' });
        await evidence.getByText(/inside± \d+\s(ft|m)$/).waitFor();
        await page.getByRole('region', { name: 'Map of the evidence' }).waitFor();
        await page.getByText('Browser push', { exact: true }).waitFor();
        await page.getByText(/no browser is subscribed/i).waitFor();
        await page.getByRole('button', { name: 'Snooze' }).click();
        await page.getByRole('menuitem', { name: 'For 8 hours' }).click();
        await page.getByText(/^Snoozed until \d/).waitFor();
        assert.ok((await owner.client.getNotificationTrigger({ id: van, fk })).snoozedUntil);
        await page.getByRole('button', { name: 'End snooze' }).click();
        await page.getByRole('button', { name: 'Snooze', exact: true }).waitFor();

        await owner.put(`/devices/${van}/points/${inside}`, { location: { lat: 52.02, lng: 5 } });
        await page.getByText('Retracted', { exact: true }).waitFor();
        await page.getByRole('link', { name: 'Notifications' }).first().click();
        await page.locator('del', { hasText: 'Van 3 entered Depot' }).waitFor();

        // The tracker's own alarm and the speed alert tell the same.
        await watch({ type: 'speed', parameters: { limit: 80 }, severity: 'warning' });
        await watch({ type: 'alarm', severity: 'warning' });
        const moment = { timestamp: new Date(Date.now() + 180_000).toISOString() };
        await owner.make(`/devices/${van}/readings`, { type: 'alarm', value: 'overspeed', ...moment });
        await owner.make(`/devices/${van}/points`, { ...moment, location: { lat: 52.02, lng: 5 }, speed: 130 });
        const row = page.getByRole('listitem').filter({ hasText: 'also reported by the tracker' });
        await row.waitFor();
        await page.getByText(/^Needs action/).click();
        await page.getByText('Needs action (1)').waitFor();
        await page.getByRole('button', { name: 'Bulk actions' }).click();
        await page.getByRole('menuitem', { name: 'Acknowledge all (1)' }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByText('All', { exact: true }).first().click();
        await row.getByRole('button', { name: /^Acknowledge: Van 3 exceeded/ }).click();
        await row.getByText('Acknowledged').waitFor();
        await row.getByRole('link').click();
        await page.getByRole('link', { name: 'also reported by the tracker' }).waitFor();
      });
      const { body } = await owner.get('/users/me/notifications?filter={"where":{"severity":"warning"}}');
      assert.equal(body.length, 2);
      assert.ok(body.every(({ dismissedOn }: { dismissedOn: string | null }) => dismissedOn !== null));
    });

    test('filters stand in the address and narrow the feed', async () => {
      const { owner, van, fix, watch } = await setting();
      const trigger = await watch({ type: 'geofence', muteFor: 3600 });
      await watch({ type: 'newLoc', name: 'Every position', delivery: {} });
      await fix(900, 1);
      await fix(0, 90);
      await fix(900, 240);
      await bed.visit(`/notifications?device=${van}&trigger=${trigger}`, { as: owner, size: 'phone' }, async (page) => {
        const rows = page.getByRole('listitem');
        await page.getByText('Van 3 entered Depot').waitFor();
        assert.equal(await rows.filter({ hasText: 'reported its position' }).count(), 0);
        // One button with the number of filters in use.
        await page.getByRole('button', { name: 'Filters (2)' }).click();
        const sheet = page.getByRole('dialog', { name: 'Filters' });
        await sheet.getByRole('button', { name: 'Clear filters' }).click();
        await page.getByText('Van 3 reported its position').first().waitFor();
        await sheet.getByLabel('Type').selectOption('geofence');
        await until(
          async () => (await rows.filter({ hasText: 'reported its position' }).count()) === 0,
          'only crossings',
        );
        await sheet.getByLabel('Status').selectOption('retracted');
        await page.getByRole('heading', { name: 'No notifications match these filters' }).waitFor();
        assert.match(page.url(), /type=geofence&status=retracted/);
        await sheet.getByLabel('Status').selectOption('all');
        await sheet.getByLabel('Period').selectOption('today');
        await sheet.getByRole('button', { name: 'Show' }).click();
        await page.getByText('Van 3 entered Depot').waitFor();
        await assertFits(page);
      });
    });

    test('an alert is made as a sentence, tried, and found in the list', async () => {
      const { owner, fix } = await setting();
      await fix(900, -600);
      await fix(0, -500);
      await fix(900, -300);
      await fix(900, -10);
      const hook = await startReceiver();
      await bed.visit('/alerts', { as: owner }, async (page) => {
        await page.getByText('No alerts yet').waitFor();
        await page.getByRole('link', { name: 'Add alert' }).first().click();
        // The only device is chosen, and only channels that work are offered.
        await page.getByText('Geofence entry or exit').click();
        await page.getByLabel('Geofence').selectOption({ label: 'Depot' });
        await page.getByText('Leaves', { exact: true }).click();
        const sentence = page.getByTestId('sentence');
        assert.equal(await page.getByLabel('E-mail', { exact: true }).count(), 0);
        assert.equal(await page.getByLabel('Browser push').isChecked(), false, 'no browser has it');
        await page.getByLabel('Webhook', { exact: true }).check();
        await page.getByLabel('Webhook URL').fill(hook.address);
        await page.getByLabel('Message format').selectOption('envelope');
        const said = 'When Van 3 has been outside Depot for 2 minutes, call a webhook';
        await until(async () => (await sentence.innerText()) === `${said}.`, 'the sentence says it');
        await page.getByRole('button', { name: 'Send a test' }).click();
        await hook.has(1);
        await page.getByText('Sent', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'Run test' }).click();
        await page.getByText('It would have fired once.').waitFor();
        await page.getByText('Van 3 has been outside Depot for 2 minutes', { exact: true }).waitFor();
        await page.getByLabel('Mute after firing for').fill('10');
        await page.getByText(/then mute for 10 minutes/).waitFor();
        await page.getByRole('button', { name: 'Add alert' }).click();
        await page.getByRole('link', { name: `${said}, then` }).click();

        await page.getByRole('button', { name: 'Change' }).click();
        await page.getByText('Speeding').click();
        await page.getByLabel('Limit').fill('50');
        await page.getByText(/When Van 3 moves faster than 50\smph/).waitFor();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('link', { name: /moves faster than 50 mph/ }).waitFor();
      });
      await hook.close();
      const [kept] = (await owner.get(`/devices/${(await owner.get('/devices')).body[0].id}/notificationTriggers`))
        .body;
      assert.equal(kept.type, 'speed');
      assert.equal(Math.round(kept.parameters.limit), 80, 'kept in km/h');
      assert.equal(kept.parameters.zoneId, undefined);
      assert.deepEqual([kept.muteFor, kept.delivery.http, kept.delivery.push], [600, true, false]);
    });

    test('what the server refuses is said, and a deleted alert comes back by undo', async () => {
      const { owner, van, watch } = await setting();
      const delivery = { telegram: true };
      const id = await watch({ type: 'lowBat', name: 'Battery', delivery, parameters: { telegramChat: '@channel' } });
      const refused = [/status of 422/];
      await bed.visit(`/alerts/${van}/${id}`, { as: owner, allows: refused, size: 'phone' }, async (page) => {
        await page.getByLabel('Webhook', { exact: true }).check();
        await page.getByLabel('Webhook URL').fill('http://10.0.0.1/hook');
        // Not set up, so it is offered only because the alert uses it.
        await page.getByText('This channel is not set up on this server').waitFor();
        await page.getByLabel('Chat', { exact: true }).fill('somewhere');
        await page.getByLabel('ntfy', { exact: true }).check();
        await page.getByLabel('ntfy topic').fill('a topic');
        await page.getByLabel('Access token').fill('tk_secret');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('alert').filter({ hasText: 'endpoint' }).waitFor();
        await page.getByRole('alert').filter({ hasText: 'telegramChat is not a Telegram chat' }).waitFor();
        await page.getByRole('alert').filter({ hasText: 'ntfyTopic is not an ntfy topic' }).waitFor();
        await page.getByLabel('ntfy topic').fill('fleet');
        await page.getByText(/send to fleet on ntfy/).waitFor();
        await assertFits(page);
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await page.getByRole('button', { name: 'Delete alert' }).click();
        await page.getByText('“Battery” was deleted').waitFor();
        await page.getByText('No alerts yet').waitFor({ state: 'attached' });
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByRole('link', { name: /battery of Van 3 falls to 30 % or below/ }).waitFor();
        await assertFits(page);
      });
    });

    test('the record of delivery shows what arrived, and sends it again', async () => {
      const received: string[] = [];
      const hook = createServer((request, response) => {
        received.push(String(request.headers['webhook-id']));
        request.resume().on('end', () => response.end());
      });
      await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
      try {
        const { owner, fix, watch } = await setting();
        const endpoint = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`;
        await watch({ type: 'geoEntry', parameters: { endpoint }, delivery: { http: true } });
        await bed.visit('/notifications', { as: owner }, async (page) => {
          await page.getByRole('heading', { name: 'No notifications yet' }).waitFor();
          await fix(900, 1);
          await fix(0, 90);
          await page.getByRole('link', { name: /Van 3 entered Depot/ }).click();
          await page.getByText('Webhook', { exact: true }).waitFor();
          await page.getByText('Sent', { exact: true }).waitFor();
          await page.getByText(endpoint).waitFor();
          await page.getByRole('button', { name: 'Send again' }).click();
          await page.getByText('Delivery queued again').waitFor();
          await until(async () => received.length === 2, 'it arrives again');
        });
        assert.equal(received[0], received[1], 'a receiver can tell that it is the same');
      } finally {
        hook.close();
        hook.closeAllConnections();
      }
    });

    test('push is switched on by permission, and refusals are said plainly', async () => {
      const { owner } = await setting();
      await bed.visit('/notifications', { as: owner, isWhole: true }, async (page) => {
        await page.context().grantPermissions(['notifications'], { origin: bed.server.address });
        await page.reload();
        // The push service of a browser is somewhere else; what it would answer is given here.
        await page.evaluate(FAKE_PUSH_SERVICE, `${bed.server.address}/nowhere`);
        await page.getByRole('button', { name: 'Browser push' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('button', { name: 'Switch on' }).click();
        await dialog.getByText('On in this browser', { exact: true }).waitFor();
        await dialog.getByText(/Chrome, Linux/).waitFor();
        assert.equal(
          await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL),
          `${bed.server.address}/push-worker.js`,
        );
        const { body } = await owner.get('/users/me/pushSubscriptions');
        assert.equal(body.length, 1);
        await dialog.getByRole('button', { name: 'Switch off', exact: true }).click();
        await dialog.getByText('Off in this browser', { exact: true }).waitFor();
        assert.equal((await owner.get('/users/me/pushSubscriptions')).body.length, 0);
      });
    });

    test('an alert enables push in this browser, and asks before it is saved for nobody', async () => {
      const { owner, van } = await setting();
      await bed.visit('/alerts/new?type=lowBat', { as: owner, isWhole: true }, async (page) => {
        await page.context().grantPermissions(['notifications'], { origin: bed.server.address });
        await page.reload();
        await page.evaluate(FAKE_PUSH_SERVICE, `${bed.server.address}/nowhere`);
        await page.getByText('Off in this browser').waitFor();
        await page.getByRole('button', { name: 'Add alert' }).click();
        const asks = page.getByRole('dialog', { name: 'Save without recipients?' });
        await asks.getByRole('button', { name: 'Cancel' }).click();
        assert.equal((await owner.client.listUserTriggers({ id: 'me' })).length, 0);
        await page.getByRole('button', { name: 'Enable here' }).click();
        await page.getByText(/send me a browser notification/).waitFor();
        assert.ok(await page.getByLabel('Browser push').isChecked());
        await page.getByRole('button', { name: 'Add alert' }).click();
        await page.getByText('Alert added').waitFor();
      });
      assert.equal((await owner.client.listNotificationTriggers({ id: van }))[0]!.delivery.push, true);
    });

    test('a browser that may not show notifications says what to do', async () => {
      const { owner } = await setting();
      await bed.visit('/notifications', { as: owner, size: 'phone' }, async (page) => {
        await page.evaluate(() =>
          Object.defineProperty(Notification, 'permission', { configurable: true, get: () => 'denied' }),
        );
        await page.getByRole('button', { name: 'Browser push' }).click();
        await page.getByText(/Allow them in your browser’s settings for this address/).waitFor();
      });
    });
  },
  { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8' },
);

/** Stands in for the push service, from the moment of the permission on. */
const FAKE_PUSH_SERVICE = async (endpoint: string) => {
  const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
  const text = (bytes: Uint8Array) =>
    btoa(String.fromCharCode(...bytes))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  const keys = { p256dh: text(raw), auth: text(crypto.getRandomValues(new Uint8Array(16))) };
  let current: object | null = null;
  const subscription = {
    endpoint,
    toJSON: () => ({ endpoint, keys }),
    unsubscribe: async () => {
      current = null;
      return true;
    },
  };
  PushManager.prototype.getSubscription = async () => current as PushSubscription | null;
  PushManager.prototype.subscribe = async (options) => {
    if (!options?.applicationServerKey) throw new Error('Without the key of the server');
    current = subscription;
    return subscription as unknown as PushSubscription;
  };
};
