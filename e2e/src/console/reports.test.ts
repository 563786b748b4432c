import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';

inBrowser('Reports in the console', (bed) => {
  test('a report is chosen, read, saved as a file and laid out for paper', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'owner'));
    const { id, deviceKey } = await owner.client.createDevice({ body: { name: '=Van, "3"' } });
    await owner.client.createDevice({ body: { name: 'Idle one' } });
    const end = Date.now() - 3_600_000;
    const points = Array.from({ length: 40 }, (_, index) => ({
      timestamp: new Date(end - (40 - index) * 30_000).toISOString(),
      location: { lat: 50 + index * 0.003, lng: 8 },
      speed: 40,
      accuracy: 5,
    }));
    const stands = Array.from({ length: 30 }, (_, index) => ({
      ...points.at(-1)!,
      timestamp: new Date(end + index * 60_000).toISOString(),
      speed: 0,
    }));
    const body = { points: [...points, ...stands] };
    assert.equal((await bed.api('POST', '/ingest/reports', { token: deviceKey, body })).status, 200);
    await bed.visit('/reports', { as: owner }, async (page) => {
      await page.getByRole('link', { name: '=Van, "3"' }).waitFor();
      await page.getByRole('link', { name: 'Idle one' }).waitFor();
      await page.getByLabel('Report', { exact: true }).selectOption('Trips');
      await page.getByRole('columnheader', { name: 'From' }).waitFor();
      await page.getByText('25 mph').waitFor();
      assert.match(page.url(), /kind=trips/);
      assert.deepEqual(await findings(page), []);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download CSV' }).click();
      const text = await readFile(await (await download).path(), 'utf8');
      assert.match(text, /^\u{feff}Device,Start,End,distance \(m\)/u);
      assert.match(text, /\r\n"'=Van, ""3""",20\d\d-/, 'no spreadsheet takes the name for a formula');
      await page.emulateMedia({ media: 'print' });
      assert.equal(await page.getByRole('navigation', { name: 'Main' }).isVisible(), false);
      assert.ok(await page.getByRole('table').isVisible());
    });
    await bed.visit(`/reports?kind=days&device=${id}`, { as: owner, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByRole('link', { name: '=Van, "3"' }).first().waitFor();
      assert.equal(await page.getByText('Idle one').count(), 0);
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
    });
  });
});
