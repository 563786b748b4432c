import assert from 'node:assert/strict';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';

inBrowser('The overview in the console', (bed) => {
  test('it tells what moves, what is silent, whose battery is low and how far all went', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'overseer'));
    await bed.visit('/dashboard', { as: owner }, async (page) => {
      await page.getByText('No devices yet').waitFor();
    });
    const { id, deviceKey } = await owner.client.createDevice({ body: { name: 'Lorry' } });
    await owner.client.createDevice({ body: { name: 'Quiet one' } });
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
      await page.getByRole('heading', { name: 'Silent: 1' }).waitFor();
      await page.getByRole('heading', { name: 'Low batteries: 1' }).waitFor();
      await page.getByText('No warnings wait for somebody.').waitFor();
      assert.deepEqual(await findings(page), []);
      await page.getByLabel('Group').selectOption('Heavy ones');
      await page.getByRole('heading', { name: 'Silent: 0' }).waitFor();
      if (process.env.TRACKWAY_PICTURES)
        await page.screenshot({ path: `${process.env.TRACKWAY_PICTURES}/dashboard.png` });
    });
    await bed.visit('/dashboard', { as: owner, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByRole('heading', { name: 'Silent: 1' }).waitFor();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
      if (process.env.TRACKWAY_PICTURES)
        await page.screenshot({ path: `${process.env.TRACKWAY_PICTURES}/dashboard-phone.png` });
    });
  });
});
