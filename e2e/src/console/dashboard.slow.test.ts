import assert from 'node:assert/strict';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';
import { assertCount } from './until.ts';

inBrowser('The overview in the console', (bed) => {
  test('it shows what moves, what is silent, whose battery is low and how far all went', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'overseer'));
    await bed.visit('/dashboard', { as: owner }, async (page) => {
      await page.getByText('No devices yet').waitFor();
    });
    const { id, deviceKey } = await owner.client.createDevice({ body: { name: 'Lorry' } });
    await owner.client.createDevice({ body: { name: 'Quiet one' } });
    const limit = { type: 'speed', parameters: { limit: 50 }, delivery: { push: true } };
    await owner.make(`/devices/${id}/notificationTriggers`, limit);
    const { id: fk } = await owner.client.createDeviceGroup({ id: 'me', body: { name: 'Heavy ones' } });
    await owner.client.addDeviceGroupDevices({ id: 'me', fk, body: { ids: [id] } });
    const end = Date.now() - 60_000;
    const points = Array.from({ length: 40 }, (_, index) => ({
      timestamp: new Date(end - (40 - index) * 30_000).toISOString(),
      location: { lat: 50 + index * 0.003, lng: 8 },
      ...{ speed: 60, accuracy: 5, batteryPct: 12 },
    }));
    assert.equal((await bed.api('POST', '/ingest/reports', { token: deviceKey, body: { points } })).status, 200);
    await bed.visit('/dashboard', { as: owner }, async (page) => {
      await page.getByRole('heading', { name: 'Offline: 1' }).waitFor();
      await page.getByRole('heading', { name: 'Low batteries: 1' }).waitFor();
      await page.getByText('No open warnings.').waitFor();
      await page.getByRole('region', { name: 'Map' }).or(page.locator('.maplibregl-map')).first().waitFor();
      await page.getByRole('link', { name: 'Lorry' }).first().waitFor();
      const speeding = page.getByRole('link', { name: /^1×, up to 37\smph/ });
      await speeding.waitFor();
      await assertCount(page.getByRole('list', { name: 'By day' }).first().getByRole('link'), 7);
      assert.deepEqual(await findings(page), []);
      await page.getByLabel('Group').selectOption('Heavy ones');
      await page.getByRole('heading', { name: 'Offline: 0' }).waitFor();
      if (process.env.TRACKWAY_PICTURES)
        await page.screenshot({ path: `${process.env.TRACKWAY_PICTURES}/dashboard.png` });
      await page.getByRole('link', { name: /Moving/ }).click();
      await page.waitForURL(/\/devices\?state=moving&group=\d+/);
      await page.getByRole('link', { name: 'Lorry' }).first().waitFor();
    });
    await bed.visit('/dashboard', { as: owner, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByRole('heading', { name: 'Offline: 1' }).waitFor();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
      if (process.env.TRACKWAY_PICTURES)
        await page.screenshot({ path: `${process.env.TRACKWAY_PICTURES}/dashboard-phone.png` });
    });
  });

  test('a household sees its people first: at a place and since when, or how far from one', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'parent'));
    const home = { lat: 50, lng: 8 };
    await owner.client.createGeofence({ id: 'me', body: { name: 'Home', center: home, radius: 150 } });
    const report = async (name: string, points: readonly { lat: number; minute: number; speed: number }[]) => {
      const { deviceKey } = await owner.client.createDevice({ body: { name, type: 'phone' } });
      const body = {
        points: points.map(({ lat, minute, speed }) => ({
          timestamp: new Date(Date.now() - minute * 60_000).toISOString(),
          ...{ location: { lat, lng: 8 }, speed, accuracy: 5 },
        })),
      };
      assert.equal((await bed.api('POST', '/ingest/reports', { token: deviceKey, body })).status, 200);
    };
    // A geofence evaluates what happens from its making on.
    const standing = [-0.1, -0.5, -1].map((minute) => ({ lat: 50, minute, speed: 0 }));
    await report('Anna', [{ lat: 50.05, minute: 9, speed: 0 }, ...standing]);
    const driving = Array.from({ length: 12 }, (_, index) => ({
      ...{ lat: 50.05 + index * 0.004, minute: (12 - index) / 2, speed: 54 },
    }));
    await report('Ben', driving);
    await bed.visit('/dashboard', { as: owner, size: 'phone' }, async (page) => {
      const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
      await row('Anna')
        .getByText(/^at Home since \d\d:\d\d/)
        .waitFor();
      await row('Ben')
        .getByText(/^on the way, .+ from Home/)
        .waitFor();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
      await row('Anna').getByRole('link').click();
      await page.waitForURL(/\?device=\d+/);
    });
    for (const name of ['Van 1', 'Van 2', 'Van 3']) await owner.client.createDevice({ body: { name, type: 'van' } });
    await bed.visit('/dashboard', { as: owner }, async (page) => {
      await page.getByRole('list', { name: 'Devices now' }).waitFor();
      assert.equal(await page.getByRole('heading', { name: 'People' }).count(), 0, 'a fleet keeps its overview');
    });
  });
});
