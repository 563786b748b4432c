import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { makePerson } from '../harness/people.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import { DEVICE_SHEETS } from './furnish.ts';
import { assertFits, inBrowser } from './harness.ts';
import { settled } from './settled.ts';
import { assertCount, until } from './until.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A day that is over everywhere, and its morning in the browser's zone and in UTC alike. */
const DAY = new Date(Date.now() - 48 * HOUR).toISOString().slice(0, 10);
const DAY_BEFORE = new Date(Date.now() - 72 * HOUR).toISOString().slice(0, 10);
const MORNING = Date.parse(`${DAY}T09:00:00Z`);
const SHEETS = ['', ...DEVICE_SHEETS];

interface Tracked {
  readonly id: number;
  readonly key: string;
}

inBrowser('A device in the console', (bed) => {
  const newOwner = async (): Promise<Voice> => voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'tracks'));
  const newDevice = async (owner: Voice, name = 'Van 3'): Promise<Tracked> => {
    const { id, deviceKey } = await owner.make('/devices', { name });
    return { id, key: deviceKey };
  };
  /** What the device says, and what it is answered. */
  const report = async ({ key }: Tracked, body: object) => {
    const answer = await fetch(`${bed.server.address}/ingest/reports`, {
      method: 'POST',
      headers: { authorization: key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 200);
    return answer.json();
  };

  test('a day is seen trip by trip, played, and taken along as a file', async () => {
    const owner = await newOwner();
    const device = await newDevice(owner);
    await report(device, { points: twoTrips() });
    await until(async () => (await owner.get(`/devices/${device.id}/trips`)).body.length === 2, 'there are two trips');
    await bed.visit(`/devices/${device.id}/day/${DAY}`, { as: owner }, async (page) => {
      await page.getByRole('heading', { name: 'Van 3', level: 1 }).waitFor();
      const trips = page.getByRole('list', { name: 'Trips and stops' }).getByRole('button', { name: /max/ });
      await trips.nth(1).waitFor();
      await assertCount(trips, 2);
      assert.match(await trips.nth(0).innerText(), /3\.\d\smi/);

      await trips.nth(1).click();
      await page.waitForURL(/at=trip-\d+/);
      assert.equal(await trips.nth(1).getAttribute('aria-pressed'), 'true');
      await page.getByRole('button', { name: 'Export this trip' }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'GPX' }).click(),
      ]);
      assert.match(file.suggestedFilename(), new RegExp(`^Van 3 ${DAY} \\d\\d\\.\\d\\d\\.gpx$`));
      const gpx = await readFile(await file.path(), 'utf8');
      assert.match(gpx, /<trkpt /);
      assert.ok(!gpx.includes(`<time>${DAY}T09:05`), 'the other trip is not in it');

      const slider = page.getByRole('slider', { name: 'Time of day' });
      const before = Number(await slider.inputValue());
      await page.getByRole('button', { name: 'Play' }).click();
      await until(async () => Number(await slider.inputValue()) > before + MINUTE, 'the playback goes on');
      await page.getByRole('button', { name: 'Pause' }).click();
      await slider.fill(String(MORNING + 5 * MINUTE));
      await page.getByText('10:05:00').or(page.getByText('11:05:00')).first().waitFor();

      await page.getByRole('button', { name: String(new Date().getFullYear()) }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /: 2 trips/ })
        .waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Previous day' }).click();
      await page.waitForURL(new RegExp(`/day/${DAY_BEFORE}`));
      await page.getByText('No positions on this day').waitFor();
    });
  });

  test('its tabs do not change while it is loaded, its state is shown once, and a trailer has no flight mode', async () => {
    const owner = await newOwner();
    const { id, deviceKey } = await owner.make('/devices', { name: 'Van 3', type: 'trailer' });
    await report({ id, key: deviceKey }, { points: [{ location: { lat: 52.1, lng: 5.1 }, accuracy: 5, speed: 0 }] });
    await bed.visit('/devices', { as: owner }, async (page) => {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/abilities', async (route) => {
        await released;
        await route.continue();
      });
      await page.goto(`${bed.server.address}/devices/${id}`);
      await page.getByRole('heading', { name: 'Van 3', level: 1 }).waitFor();
      assert.equal(await page.getByRole('tab').count(), 0, 'no tabs that go away again');
      release();
      await page.getByRole('tab').first().waitFor();
      const tabs = await page.getByRole('tab').allInnerTexts();
      await settled(page);
      assert.deepEqual(await page.getByRole('tab').allInnerTexts(), tabs);
      await assertCount(page.getByRole('main').getByText('Stopped', { exact: true }), 1);
      await page.getByRole('button', { name: 'Choose mode' }).click();
      assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), ['Sleep…', 'Wake up…', 'Switch radio off…']);
    });
  });

  test('readings are drawn, summed up and listed, and the address says which', async () => {
    const owner = await newOwner();
    const { id } = await newDevice(owner);
    for (const [hours, value] of [
      [3, 4.5],
      [2, 21],
      [1, 12.25],
    ] as const)
      await owner.make(`/devices/${id}/readings`, { type: 'humidity', value, timestamp: hoursAgo(hours) });
    await owner.make(`/devices/${id}/readings`, { type: 'accel_3d', value: { x: 1, y: 2 }, timestamp: hoursAgo(4) });
    await bed.visit(`/devices/${id}`, { as: owner }, async (page) => {
      await page.getByRole('link', { name: /Humidity 12\.3 %/ }).click();
      await page.waitForURL(/readings\?type=humidity/);
      await page.getByRole('img', { name: 'Chart of Humidity' }).waitFor();
      const facts = await page.locator('dl').first().innerText();
      assert.match(facts, /Latest\s+12\.3 %\s+Lowest\s+4\.5 %\s+Highest\s+21 %/);
      await assertCount(page.getByRole('table').getByRole('row'), 4);
      await page.getByText('24 hours').click();
      await page.waitForURL(/range=24h/);
      await page.getByLabel('Reading', { exact: true }).selectOption('accel_3d');
      await page.getByRole('heading', { name: 'x', exact: true }).waitFor();
      await page.getByLabel('Reading', { exact: true }).selectOption('position.speed');
      await page.getByText('No values in this period').waitFor();
    });
  });

  test('settings are changed, wait, and are taken by the device', async () => {
    const owner = await newOwner();
    const device = await newDevice(owner);
    await bed.visit(`/devices/${device.id}/config`, { as: owner }, async (page) => {
      await page.getByText('has not confirmed any settings yet').waitFor();
      await page.getByRole('switch', { name: 'Smart GPS' }).check();
      await page.getByLabel('Interval while awake').fill('0');
      await page.getByText('a whole number of at least 1').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
      await page.getByLabel('Interval while awake').fill('1');
      await page.getByText('2 unsaved changes').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Changes pending').waitFor();
      const { config } = await report(device, {});
      assert.equal(config.interval, 60);
      assert.equal(config.behavior, 128);
      await report(device, { taken: { config: config.modified } });
      await page.reload();
      await page.getByText('The device confirmed these settings').waitFor();
    });
  });

  test('messages go down and come up while one looks on', async () => {
    const owner = await newOwner();
    const device = await newDevice(owner);
    await bed.visit(`/devices/${device.id}/messages`, { as: owner, size: 'phone' }, async (page) => {
      await page.getByText('No messages yet').waitFor();
      const tabs = await page.getByRole('tablist').evaluate((list) => {
        const { left, right } = list.getBoundingClientRect();
        const all = [...list.children].map((tab) => ({ tab, at: tab.getBoundingClientRect() }));
        const open = all.find(({ tab }) => tab.ariaSelected === 'true')!.at;
        return {
          isOpenSeen: open.left >= left && open.right <= right,
          cutAtLeft: all.filter(({ at }) => at.left < left - 1 && at.right > left + 3).length,
        };
      });
      assert.deepEqual(tabs, { isOpenSeen: true, cutAtLeft: 0 });
      await page.getByLabel('Message to the device').fill('call the depot');
      await page.keyboard.press('Enter');
      await page.getByText('call the depot').waitFor();
      await page.getByText('Waiting for the device').waitFor();
      const { messages } = await report(device, {});
      await report(device, { taken: { messages: [messages[0].id] }, messages: [{ message: 'on my way' }] });
      await page.getByText(/^Delivered/).waitFor();
      await page.getByText('on my way').waitFor();
      await page.getByText('From the device').waitFor();
      await assertFits(page);
    });
  });

  test('what it received by radio and what was quarantined is shown with strength and reason', async () => {
    const owner = await newOwner();
    const device = await newDevice(owner);
    const tag = await newDevice(owner, 'Tag 7');
    await owner.make(`/devices/${device.id}/gatewayReadings`, { type: 'temp', value: 20, rssi: -52, deviceId: tag.id });
    await owner.make(`/devices/${device.id}/gatewayReadings`, { type: 'uwb_seen', value: 240, deviceId: tag.id });
    await report(device, { points: [{ location: { lat: 195, lng: 4 } }] });
    await bed.visit(`/devices/${device.id}`, { as: owner }, async (page) => {
      const nearby = page.getByRole('list', { name: 'Nearby' }).getByRole('listitem');
      await nearby.getByText('Temperature: 20 °C').waitFor();
      await nearby.getByText('2.4 m away').waitFor();
      await assertCount(nearby, 1);
      await page.getByRole('link', { name: 'View all' }).click();
      await page.getByRole('heading', { name: 'Recently detected' }).waitFor();
      await page.getByRole('link', { name: 'Tag 7' }).first().waitFor();
      await page.getByRole('img', { name: 'Excellent' }).first().waitFor();
      await page.getByText('-52 dBm').first().waitFor();
      await page.getByRole('tab', { name: 'Quarantine' }).click();
      await page
        .getByText(/coordinates are missing or invalid/)
        .first()
        .waitFor();
      await page.getByText('Reported data').click();
      await page.getByText('"lat": 195').waitFor();
    });
  });

  test('it is shared to view, and who may only view is offered no change', async () => {
    const owner = await newOwner();
    const friend = await newOwner();
    const { id } = await newDevice(owner);
    await owner.make(`/devices/${id}/messages`, { message: 'hello' });
    await bed.visit(`/devices/${id}/access`, { as: owner }, async (page) => {
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByLabel('E-mail address').fill(friend.email);
      await page.getByRole('dialog').getByRole('button', { name: 'Share' }).click();
      await page.getByText(`Shared with ${friend.email}`).waitFor();
    });
    await bed.visit(`/devices/${id}`, { as: friend }, async (page) => {
      await page.getByText('Shared with you: view only').waitFor();
      const sheets = {
        Messages: 'You can read these messages',
        Configuration: 'You can view these settings',
        Alerts: 'No alerts',
        Forwarding: 'You can view this device',
        Access: 'You can view it',
      };
      for (const [sheet, words] of Object.entries(sheets)) {
        await openSheet(page, sheet);
        await page.getByRole('tabpanel').getByText(words).waitFor();
        for (const name of ['Edit', 'Send', 'Save', 'Share', 'Replace key', 'Cancel', 'Add forwarder', 'Send again'])
          assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, `${sheet}: ${name}`);
        assert.equal(await page.getByRole('link', { name: 'Add alert' }).count(), 0);
      }
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: /Leave shared device/ }).click();
      await page.getByRole('button', { name: 'Leave device' }).click();
      await page.getByText('You no longer have access to Van 3').waitFor();
    });
    assert.deepEqual((await owner.get(`/devices/${id}/shares`)).body, []);
  });

  test('what a device can do decides which of its pages stand in sight; the rest is under Advanced', async () => {
    const owner = await newOwner();
    const tabsOf = async (id: number, isThere: string, isAway: string): Promise<string[]> => {
      let tabs: string[] = [];
      await bed.visit(`/devices/${id}`, { as: owner }, async (page) => {
        await page.getByRole('button', { name: 'Advanced' }).waitFor();
        await page.getByRole('tab', { name: isThere }).waitFor();
        tabs = await page.getByRole('tab').allInnerTexts();
        await page.getByRole('button', { name: 'Advanced' }).click();
        await page.getByRole('menuitem', { name: isAway }).click();
        await page.getByRole('tab', { name: isAway, selected: true }).waitFor();
        // Its address leads there as well.
        await page.reload();
        await page.getByRole('tab', { name: isAway, selected: true }).waitFor();
      });
      return tabs;
    };
    const phone = await newDevice(owner);
    await report(phone, { points: [{ location: { lat: 50, lng: 8 } }] });
    const ofPhone = await tabsOf(phone.id, 'History', 'Configuration');
    assert.deepEqual(ofPhone, ['Overview', 'History', 'Timeline', 'Readings', 'Alerts', 'Maintenance', 'Access']);
    const sensor = await newDevice(owner, 'Freezer');
    await report(sensor, { readings: [{ type: 'temp', value: -18 }] });
    assert.deepEqual(await tabsOf(sensor.id, 'Readings', 'History'), [
      'Overview',
      'Timeline',
      'Readings',
      'Alerts',
      'Access',
    ]);
  });

  test('the encryption key of a phone is set and removed, and no code is shown that leads nowhere', async () => {
    const owner = await newOwner();
    const device = await newDevice(owner);
    await bed.visit(`/devices/${device.id}/access`, { as: owner }, async (page) => {
      await page.getByLabel('Encryption key in the app').fill('s3cret');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Encryption key saved').waitFor();
      assert.deepEqual((await owner.get(`/devices/${device.id}/secret`)).body, { secret: 's3cret' });
      await page.getByRole('button', { name: 'Replace key' }).click();
      await page.getByRole('button', { name: 'Create new key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New device key' });
      // This server listens on this machine alone, so a code would lead a phone nowhere.
      await dialog.getByText('Phones cannot connect yet').waitFor();
      // Started anew for the network of the house, it can be reached; the key is still there.
      const reach = { addresses: [{ url: 'http://192.168.1.7:8080', kind: 'network' }], localNetwork: 'on' };
      await page.route('**/api/reach', (route) => route.fulfill({ json: reach }));
      await dialog.getByRole('button', { name: 'Check again' }).click();
      await dialog.getByRole('img', { name: 'QR code with the settings for the phone' }).waitFor();
      await dialog.getByText(/http:\/\/192\.168\.1\.7:8080\/\S+owntracks/).waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Encryption key removed').waitFor();
      assert.deepEqual((await owner.get(`/devices/${device.id}/secret`)).body, { secret: null });
    });
  });

  test('a new key is shown once and works, and is revoked', async () => {
    const owner = await newOwner();
    const device = await newDevice(owner);
    await bed.visit(`/devices/${device.id}/access`, { as: owner }, async (page) => {
      await page.getByRole('button', { name: 'Replace key' }).click();
      await page.getByRole('button', { name: 'Create new key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New device key' });
      const key = await dialog.locator('code').first().innerText();
      await report({ ...device, key }, {});
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('button', { name: 'Revoke key' }).click();
      await page.getByText('No key').waitFor();
      assert.ok(!(await page.content()).includes(key));
    });
  });

  test('its data is sent on to a webhook, until that is removed', async () => {
    const owner = await newOwner();
    const { id } = await newDevice(owner);
    await bed.visit(`/devices/${id}/forwarding`, { as: owner }, async (page) => {
      await page.getByRole('button', { name: 'Add forwarder' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('URL').fill('https://hooks.example.com/in');
      await dialog.getByLabel('Notifications').check();
      await dialog.getByRole('button', { name: 'Add forwarder' }).click();
      await page.getByText('Add it to the receiver').waitFor();
      await page.getByRole('button', { name: 'Done' }).click();
      const card = page.getByRole('region', { name: /Webhook/ });
      await card.getByText('Positions, Readings, Notifications').waitFor();
      await card.getByRole('button', { name: 'Switch off' }).click();
      await card.getByText('Switched off').waitFor();
      await card.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('No forwarders').waitFor();
    });
    assert.deepEqual((await owner.get(`/devices/${id}/forwarders`)).body, []);
  });

  test('it is renamed, its triggers are shown as sentences, and an admin who deletes it can undo that', async () => {
    const { id } = await newDevice(bed.admin, 'Old name');
    await bed.admin.make(`/devices/${id}/notificationTriggers`, { type: 'lowBat', parameters: { threshold: 20 } });
    await bed.visit(`/devices/${id}/triggers`, { as: bed.admin }, async (page) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Name').fill('Lorry 9');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Lorry 9', level: 1 }).waitFor();
      await page.getByText(/When .*Lorry 9.*20 %/).waitFor();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: /Delete device/ }).click();
      await page.getByRole('button', { name: 'Delete device' }).click();
      await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Lorry 9 was restored').waitFor();
    });
    assert.equal((await bed.admin.get(`/devices/${id}`)).body.name, 'Lorry 9');
  });

  test('it is tagged by name and value, and the list of devices is filtered by that', async () => {
    const owner = await newOwner();
    const { id } = await newDevice(owner);
    await owner.make('/devices', { name: 'Trailer', tags: ['depot:south'] });
    await owner.make('/devices', { name: 'Boat' });
    await bed.visit(`/devices/${id}`, { as: owner, size: 'phone' }, async (page) => {
      const add = async (name: string, value: string) => {
        await page.getByLabel('Name', { exact: true }).fill(name);
        await page.getByLabel('Value', { exact: true }).fill(value);
        await page.getByRole('button', { name: 'Add tag' }).click();
      };
      await page.getByText('No tags yet.').waitFor();
      await page.getByLabel('Name', { exact: true }).fill('a:b');
      await page.getByText('A name cannot contain a colon.').waitFor();
      await add('spare', '');
      await page.getByRole('button', { name: 'Remove spare' }).waitFor();
      await add('depot', 'east');
      await page.getByRole('button', { name: 'Remove depot:east' }).waitFor();
      await add('depot', 'north');
      const tags = page.getByRole('list', { name: 'Tags of this device' });
      await tags.getByRole('link', { name: 'depot:north' }).waitFor();
      await assertCount(tags.getByRole('listitem'), 2);
      await page.getByRole('button', { name: 'Remove spare' }).click();
      await page.getByText('“spare” was removed').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await tags.getByRole('link', { name: 'spare' }).waitFor();
      assert.deepEqual((await owner.get(`/devices/${id}`)).body.tags, ['depot:north', 'spare']);

      await tags.getByRole('link', { name: 'depot:north' }).click();
      await page.waitForURL(/devices\?tag=depot/);
      const shown = page.getByRole('list', { name: 'Devices' }).getByRole('link', { name: /Van 3|Trailer|Boat/ });
      await until(async () => (await shown.allInnerTexts()).join() === 'Van 3', 'one device has the tag');
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByRole('combobox', { name: 'Tags' }).selectOption('depot: any value');
      await until(async () => (await shown.allInnerTexts()).join() === 'Trailer,Van 3', 'two have the name');
      await assertFits(page);
      await page.getByRole('button', { name: 'Stop filtering by depot: any value' }).click();
      await page.getByRole('button', { name: 'Stop filtering by depot:north' }).click();
      await page.getByRole('dialog', { name: 'Filters' }).getByRole('button', { name: 'Close' }).click();
      await until(async () => (await shown.count()) === 3, 'all are shown');
    });
  });

  test('every sheet fits a phone, in the dark, and has its own words while there is nothing', async () => {
    const owner = await newOwner();
    const { id } = await newDevice(owner, 'A device with a name that is much too long for the window of a small phone');
    await bed.visit(`/devices/${id}`, { as: owner, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByText('No position yet').waitFor();
      for (const sheet of SHEETS) {
        await page.goto(`${bed.server.address}/devices/${id}/${sheet}`);
        await page.getByRole('tabpanel').waitFor();
        await page.waitForFunction(() => document.querySelector('[role="tabpanel"] [aria-label="Loading"]') === null);
        await assertFits(page);
      }
    });
  });

  test('a device that is not there, or of someone else, is distinguished from one that could not be read', async () => {
    const stranger = await newOwner();
    const { id } = await newDevice(await newOwner());
    const refused = { as: stranger, allows: [/status of 40[134]/] };
    for (const path of [`/devices/${id}`, '/devices/999999', '/devices/nonsense']) {
      await bed.visit(path, refused, async (page) => {
        await page.getByRole('heading', { name: 'Device not found' }).waitFor();
        await page.getByRole('link', { name: 'All devices' }).waitFor();
      });
    }
  });
});

const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();

/** Ten minutes east at 36 km/h, half an hour of rest, and back. */
function twoTrips(): object[] {
  const START = { lat: 52, lng: 5 };
  const DEGREES_PER_MINUTE = 600 / (111_320 * Math.cos((START.lat * Math.PI) / 180));
  const at = (minute: number, east: number, speed: number) => ({
    timestamp: MORNING + minute * MINUTE,
    location: { lat: START.lat, lng: START.lng + east * DEGREES_PER_MINUTE },
    speed,
    accuracy: 5,
  });
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return [
    ...range(-10, 0).map((minute) => at(minute, 0, 0)),
    ...range(1, 10).map((minute) => at(minute, minute, 36)),
    ...range(11, 40).map((minute) => at(minute, 10, 0)),
    ...range(41, 50).map((minute) => at(minute, 50 - minute, 36)),
    ...range(51, 80).map((minute) => at(minute, 0, 0)),
  ];
}

/** A page of a device: in sight, or under Advanced. */
async function openSheet(page: Page, name: string): Promise<void> {
  const [tab, advanced] = [page.getByRole('tab', { name }), page.getByRole('button', { name: 'Advanced' })];
  await advanced.waitFor();
  if ((await tab.count()) > 0) return tab.click();
  await advanced.click();
  await page.getByRole('menuitem', { name }).click();
}
