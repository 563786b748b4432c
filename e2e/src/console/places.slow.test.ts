import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { after } from 'node:test';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';
import { until } from './until.ts';

/** A geocoder that knows two streets: one in the south and one in the north. */
const MIDDLE = 50.02;
const geocoder = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://geocoder');
  if (pathname === '/search') {
    const found = [{ display_name: '1, Mill Lane, Newtown', lat: '50.01', lon: '8' }];
    response.writeHead(200).end(JSON.stringify(searchParams.get('q') === 'Mill Lane' ? found : []));
    return;
  }
  const lat = Number(searchParams.get('lat'));
  const [road, town] = lat < MIDDLE ? ['Mill Lane', 'Newtown'] : ['Harbour Road', 'Oldport'];
  response.writeHead(200).end(JSON.stringify({ address: { house_number: '1', road, town } }));
});
await new Promise<void>((resolve) => geocoder.listen(0, '127.0.0.1', resolve));
after(() => geocoder.close());

inBrowser(
  'Places have names',
  (bed) => {
    test('a trip says from where to where, and a fence of the device alone is named', async () => {
      const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'namer'));
      const { id, deviceKey } = await owner.client.createDevice({ body: { name: 'Van 3' } });
      const other = await owner.client.createDevice({ body: { name: 'Van 4' } });
      const END = { lat: 50.078, lng: 8 };
      await owner.client.createGeofence({
        id: 'me',
        body: { name: 'Berth of Van 3', deviceId: id, center: END, radius: 200 },
      });
      const day = new Date(Date.now() - 48 * 3_600_000).toISOString().slice(0, 10);
      const morning = Date.parse(`${day}T09:00:00Z`);
      const way = Array.from({ length: 40 }, (_, index) => ({
        timestamp: new Date(morning + index * 30_000).toISOString(),
        location: { lat: 50 + index * 0.002, lng: 8 },
        ...{ speed: 27, accuracy: 5 },
      }));
      const remaining = Array.from({ length: 30 }, (_, index) => ({
        timestamp: new Date(morning + 40 * 30_000 + index * 60_000).toISOString(),
        location: END,
        ...{ speed: 0, accuracy: 5 },
      }));
      const send = async (token: string, body: object) =>
        assert.equal((await bed.api('POST', '/ingest/reports', { token, body })).status, 200);
      await send(deviceKey, { points: [...way, ...remaining] });
      await send(other.deviceKey, { points: [remaining.at(-1)!] });
      await until(async () => (await owner.get(`/devices/${id}/trips`)).body.length === 1, 'there is a trip');

      const named = 'Mill Lane 1, Newtown → Berth of Van 3 · Harbour Road 1, Oldport';
      await bed.visit(`/devices/${id}/day/${day}`, { as: owner }, async (page) => {
        await page.getByRole('list', { name: 'Trips and stops' }).getByText(named).waitFor();
        await assertFits(page);
        assert.deepEqual(await findings(page), []);
      });
      await bed.visit(`/devices/${id}/timeline`, { as: owner }, async (page) => {
        await page.getByText(named).waitFor();
      });
      await bed.visit('/devices', { as: owner }, async (page) => {
        const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
        await row('Van 3').getByText('Berth of Van 3', { exact: true }).waitFor();
        // The fence is not that of the other device, which stands beside it.
        await row('Van 4').getByText('Harbour Road 1, Oldport', { exact: true }).waitFor();
      });
    });

    test('places are found on maps: towns while typing, addresses when asked for', async () => {
      const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'seeker'));
      const { id } = await owner.client.createDevice({ body: { name: 'Van 5' } });
      await bed.visit('/', { as: owner, size: 'phone' }, async (page) => {
        const field = page.getByRole('searchbox', { name: 'Search devices and places' });
        const results = page.getByRole('list', { name: 'Matching devices' });
        await field.fill('Hambur');
        await results.getByRole('button', { name: 'Hamburg', exact: true }).first().click();
        await page.locator('.maplibregl-marker').waitFor();
        await field.fill('Mill Lane');
        await field.press('Enter');
        await results.getByText('© OpenStreetMap contributors').waitFor();
        await assertFits(page);
        assert.deepEqual(await findings(page), []);
        await results.getByRole('button', { name: '1, Mill Lane, Newtown' }).click();
        await field.fill('qqqq');
        await results.getByRole('button', { name: 'Search addresses for “qqqq”' }).click();
        await results.getByText('No device or place has a matching name.').waitFor();
      });
      await bed.visit('/geofences/new', { as: owner }, async (page) => {
        await page.getByRole('button', { name: 'Search places' }).click();
        const field = page.getByRole('combobox', { name: 'Search places' });
        await field.fill('Mill Lane');
        await page.getByRole('option', { name: 'Search addresses for “Mill Lane”' }).waitFor();
        await field.press('Enter');
        await page.getByRole('option', { name: '1, Mill Lane, Newtown' }).waitFor();
        assert.deepEqual(await findings(page), []);
        await field.press('Enter');
        await page.locator('.maplibregl-marker').waitFor();
        assert.equal(await field.inputValue(), '1, Mill Lane, Newtown');
        await field.fill('qqqq');
        await field.press('Enter');
        await page.getByText('No place found.').waitFor();
      });
      await bed.visit(`/devices/${id}`, { as: owner }, async (page) => {
        await page.getByRole('button', { name: 'Share live position' }).click();
        const field = page.getByRole('combobox', { name: 'Destination' });
        await field.fill('Mill Lane');
        await page.getByRole('option', { name: 'Search addresses for “Mill Lane”' }).click();
        await page.getByRole('option', { name: '1, Mill Lane, Newtown' }).click();
        assert.equal(await field.inputValue(), '1, Mill Lane, Newtown');
      });
    });
  },
  {
    TRACKWAY_GEOCODER_URL: `http://127.0.0.1:${(geocoder.address() as AddressInfo).port}`,
    TRACKWAY_GEOCODER_RATE: '1000',
    TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8',
  },
);
