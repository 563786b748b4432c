import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';
import { settled } from './settled.ts';

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
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'Download CSV' }).click();
      const text = await readFile(await (await download).path(), 'utf8');
      assert.match(text, /^\u{feff}Device,Plate,Driver,Start,End,Distance \(m\)/u);
      assert.match(text, /\r\n"'=Van, ""3""",,,20\d\d-/, 'no spreadsheet takes the name for a formula');
      const book = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'Download XLSX' }).click();
      const bytes = await readFile(await (await book).path());
      assert.equal(bytes.toString('latin1', 0, 2), 'PK');
      const paper = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'Download PDF' }).click();
      assert.equal((await readFile(await (await paper).path())).toString('latin1', 0, 5), '%PDF-');
      await page.emulateMedia({ media: 'print' });
      assert.equal(await page.getByRole('navigation', { name: 'Main' }).isVisible(), false);
      assert.ok(await page.getByRole('table').isVisible());
    });
    await bed.visit(`/reports?kind=days&device=${id}`, { as: owner, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByRole('link', { name: '=Van, "3"' }).first().waitFor();
      assert.equal(await page.getByText('Idle one').count(), 0);
      await assertFits(page);
      await page.getByRole('button', { name: 'Export' }).click();
      const { x, width } = (await page.getByRole('menu').boundingBox())!;
      const room = await page.evaluate(() => innerWidth);
      assert.ok(x >= 0 && x + width <= room, `the menu is in the window: from ${x} px, ${width} px wide`);
      await page.keyboard.press('Escape');
      assert.deepEqual(await findings(page), []);
    });
  });

  test('every kind of report can be chosen, for a group and a tag, and is kept to be mailed', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'keeper'));
    const { id, deviceKey } = await owner.client.createDevice({ body: { name: 'Lorry', tags: ['team:north'] } });
    const { id: fk } = await owner.client.createDeviceGroup({ id: 'me', body: { name: 'Heavy ones' } });
    await owner.client.addDeviceGroupDevices({ id: 'me', fk, body: { ids: [id] } });
    await owner.client.createGeofence({ id: 'me', body: { name: 'Yard', center: { lat: 50, lng: 8 }, radius: 300 } });
    const end = Date.now() - 3_600_000;
    const points = Array.from({ length: 40 }, (_, index) => ({
      timestamp: new Date(end - (40 - index) * 30_000).toISOString(),
      location: { lat: 50 + index * 0.003, lng: 8 },
      ...{ speed: 60, accuracy: 5 },
    }));
    const readings = [{ timestamp: new Date(end).toISOString(), type: 'temp', value: 4.5 }];
    const body = { points, readings };
    assert.equal((await bed.api('POST', '/ingest/reports', { token: deviceKey, body })).status, 200);
    await bed.visit('/reports', { as: owner }, async (page) => {
      const kind = page.getByLabel('Report', { exact: true });
      await kind.selectOption('Geofence visits');
      await page.getByRole('link', { name: 'Yard' }).waitFor();
      await page.getByLabel('Group or tag').selectOption('Heavy ones');
      assert.match(page.url(), /group=\d+/);
      await page.getByRole('link', { name: 'Lorry' }).first().waitFor();
      await page.getByLabel('Group or tag').selectOption('Tag: team:north');
      await kind.selectOption('Speeding');
      // In the units of the viewer; the address keeps km/h.
      await page.getByLabel('Speed limit').fill('30');
      await page.getByRole('columnheader', { name: 'Limit' }).waitFor();
      assert.match(page.url(), /limit=48\.28/);
      await page.getByRole('row', { name: /Lorry/ }).waitFor();
      await page.getByRole('button', { name: 'Everywhere' }).click();
      await page.getByRole('dialog').getByLabel('Yard').check();
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('row', { name: /Lorry/ }).getByRole('link', { name: 'Yard' }).waitFor();
      assert.match(page.url(), /fences=\d+/);
      await kind.selectOption('Utilization');
      await page.getByRole('columnheader', { name: 'Driving share' }).waitFor();
      if (process.env.TRACKWAY_PICTURES)
        await page.screenshot({ path: `${process.env.TRACKWAY_PICTURES}/utilisation.png` });
      assert.deepEqual(await findings(page), []);
      await kind.selectOption('Readings');
      await page.getByRole('cell', { name: 'Temperature' }).waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByLabel('Name').fill('Cold chain');
      await page.getByLabel('E-mail schedule').selectOption('Every week');
      await page.getByLabel('Recipients').fill('guest@example.org, second@example.org');
      await page.getByLabel('File').selectOption('PDF');
      assert.deepEqual(await findings(page), []);
      await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('“Cold chain” was saved.').waitFor();
      await page.getByRole('link', { name: 'Saved reports' }).click();
      await page.getByRole('link', { name: 'Cold chain' }).waitFor();
      await page.getByRole('cell', { name: 'Every Monday at 07:00' }).waitFor();
      await page.getByText(/second@example\.org (Not asked yet|Waiting for consent)/).waitFor();
      await page.getByRole('button', { name: 'Actions for Cold chain' }).click();
      await page.getByRole('menuitem', { name: 'Send now' }).click();
      // Whether the server of the test sends mail or not, the page shows what became of it.
      await page
        .getByText(/^(Queued|Sent|Failed|Not sent)$/)
        .first()
        .waitFor();
      assert.deepEqual(await findings(page), []);
      await page.getByRole('link', { name: 'Cold chain' }).click();
      await page.getByRole('cell', { name: 'Temperature' }).waitFor();
      assert.match(page.url(), /tag=team/);
    });
    await bed.visit('/mail/reports#wrong', { size: 'phone' }, async (page) => {
      await page.getByRole('heading', { name: 'Stop these reports?' }).waitFor();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
    });
    await bed.visit('/reports/saved', { as: owner, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByRole('link', { name: 'Cold chain' }).waitFor();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
    });
  });

  test('any days can be reported, of the geofences that are ticked, with a chart of readings and a map', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'ranger'));
    const { deviceKey } = await owner.client.createDevice({ body: { name: 'Fridge van' } });
    for (const [name, lat] of [
      ['Yard', 50],
      ['Quay', 50.1],
    ] as const)
      await owner.client.createGeofence({ id: 'me', body: { name, center: { lat, lng: 8 }, radius: 300 } });
    const DAY_MS = 86_400_000;
    // Noon of a day, so that the trip is not cut by midnight.
    const noon = new Date(Date.now() - 12 * DAY_MS).setHours(12, 0, 0, 0);
    const points = Array.from({ length: 41 }, (_, index) => ({
      timestamp: new Date(noon + index * 30_000).toISOString(),
      location: { lat: 50 + index * 0.0025, lng: 8 },
      ...{ speed: 33, accuracy: 5 },
    }));
    const stands = Array.from({ length: 30 }, (_, index) => ({
      ...points.at(-1)!,
      timestamp: new Date(noon + 41 * 30_000 + index * 60_000).toISOString(),
      speed: 0,
    }));
    const readings = [0, 1].map((days) => ({
      timestamp: new Date(noon + days * DAY_MS).toISOString(),
      ...{ type: 'temp', value: 4 + days },
    }));
    const body = { points: [...points, ...stands], readings };
    assert.equal((await bed.api('POST', '/ingest/reports', { token: deviceKey, body })).status, 200);
    const day = (at: number) => new Date(at).toISOString().slice(0, 10);
    const [first, last] = [day(noon - DAY_MS), day(noon + 2 * DAY_MS)];
    await bed.visit('/reports?kind=trips', { as: owner }, async (page) => {
      // In the last days it did nothing.
      await page.getByText('Nothing to report').waitFor();
      await page.getByLabel('Period').selectOption('Choose days');
      await page.getByLabel('First day').fill(first);
      await page.getByLabel('Last day').fill(last);
      await page.getByRole('link', { name: 'Fridge van' }).waitFor();
      await page.getByLabel('Report', { exact: true }).selectOption('Geofence visits');
      await page.getByRole('cell', { name: 'Yard' }).waitFor();
      await page.getByRole('cell', { name: 'Quay' }).waitFor();
      await page.getByRole('button', { name: 'All geofences' }).click();
      await page.getByRole('dialog').getByLabel('Quay').check();
      assert.deepEqual(await findings(page), []);
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('cell', { name: 'Yard' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: '1 geofence', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Show on the map' }).click();
      await page.getByLabel('Map of the report').waitFor();
      await page.getByLabel('Report', { exact: true }).selectOption('Trips');
      await page.getByRole('columnheader', { name: 'From' }).waitFor();
      await page.getByLabel('Map of the report').waitFor();
      await settled(page);
      if (process.env.TRACKWAY_PICTURES)
        await page.screenshot({ path: `${process.env.TRACKWAY_PICTURES}/report-map.png`, fullPage: true });
      assert.deepEqual(await findings(page), []);
      await page.getByLabel('Report', { exact: true }).selectOption('Readings');
      await page.getByRole('img', { name: 'Average by day: Temperature' }).waitFor();
      assert.match(page.url(), new RegExp(`from=${first}&to=${last}`));
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Cold days');
      assert.equal(await dialog.getByLabel('First day').inputValue(), first);
      assert.equal(await dialog.getByLabel('E-mail schedule').count(), 0, 'these days do not change');
      assert.deepEqual(await findings(page), []);
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('“Cold days” was saved.').waitFor();
      await page.getByLabel('Last day').fill(day(noon - 2 * DAY_MS));
      await page.getByText('The last day is before the first day.').waitFor();
      await page.getByRole('link', { name: 'Saved reports' }).click();
      await page.getByRole('button', { name: 'Actions for Cold days' }).click();
      await page.getByRole('menuitem', { name: 'Change' }).click();
      await page.getByRole('dialog').getByLabel('First day').fill(day(noon));
      await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator(`a[href*="from=${day(noon)}"]`).click();
      await page.getByRole('img', { name: 'Average by day: Temperature' }).waitFor();
      assert.match(page.url(), new RegExp(`from=${day(noon)}&to=${last}`));
    });
    // The address alone says it.
    const address = `/reports?kind=trips&from=${first}&to=${last}`;
    await bed.visit(address, { as: owner, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByRole('link', { name: 'Fridge van' }).waitFor();
      for (const label of ['Distance', 'Top speed', 'From', 'To']) {
        const { x, width } = (await page.locator(`td[data-label="${label}"]`).boundingBox())!;
        assert.ok(x >= 0 && x + width <= page.viewportSize()!.width, `${label} is in the window`);
      }
      await page.getByRole('button', { name: 'Show on the map' }).click();
      await page.getByLabel('Map of the report').waitFor();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
    });
  });
});
