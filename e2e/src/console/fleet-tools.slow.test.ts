import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';
import { settled } from './settled.ts';
import { until } from './until.ts';

const PICTURES = join(import.meta.dirname, '../../pictures');
const MINUTE = 60_000;

inBrowser('Tools for a fleet', (bed) => {
  mkdirSync(PICTURES, { recursive: true });
  const picture = async (page: Page, name: string) => {
    await settled(page);
    await assertFits(page);
    assert.deepEqual(await findings(page), []);
    await page.screenshot({ path: join(PICTURES, `tools-${name}.png`), animations: 'disabled' });
  };

  async function fleet() {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'owner'));
    const { id, deviceKey } = await owner.client.createDevice({ body: { name: 'Van 3', type: 'van' } });
    /** Ten kilometres to the north, then it stands. */
    const drive = async () => {
      const from = Date.now() - 120 * MINUTE;
      const points = Array.from({ length: 60 }, (_, minute) => ({
        timestamp: new Date(from + minute * MINUTE).toISOString(),
        location: { lat: 50 + Math.min(minute, 20) * 0.0045, lng: 8.68 },
        speed: minute < 20 ? 30 : 0,
        accuracy: 5,
      }));
      const { status, text } = await bed.api('POST', '/ingest/reports', { token: deviceKey, body: { points } });
      assert.equal(status, 200, text);
      await until(async () => (await owner.get(`/devices/${id}/trips`)).body.length === 1, 'the trip is there');
    };
    return { owner, id, deviceKey, drive };
  }

  test('a task is added on a phone, is due by what the device drove, and is noted as done', async () => {
    const { owner, id, drive } = await fleet();
    await bed.visit(`/devices/${id}/maintenance`, { as: owner, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByText('No maintenance tasks').waitFor();
      await page.getByRole('button', { name: 'Add maintenance task' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add maintenance task' });
      await dialog.getByLabel('Task').fill('Oil change');
      await dialog.getByRole('button', { name: 'Add maintenance task' }).click();
      await dialog.getByText('Enter a distance, hours, months or a date.').waitFor();
      await dialog.getByLabel('Distance').fill('5');
      await dialog.getByLabel('Last done').fill(new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10));
      await picture(page, 'task-form-phone-dark');
      await dialog.getByRole('button', { name: 'Add maintenance task' }).click();
      await page.getByText('Task saved').waitFor();
      await page.getByText('Oil change').first().waitFor();
      await picture(page, 'device-maintenance-phone-dark');
    });
    const [trigger] = (await owner.get(`/devices/${id}/notificationTriggers`)).body;
    assert.equal(trigger.type, 'maintenance');
    await drive();
    await bed.visit('/maintenance', { as: owner }, async (page) => {
      await page.getByText('Overdue', { exact: true }).waitFor();
      await picture(page, 'maintenance-laptop-light');
      await page.getByRole('button', { name: 'Add maintenance task' }).click();
      const added = page.getByRole('dialog', { name: 'Add maintenance task' });
      await added.getByLabel('Task').fill('Inspection');
      await added.getByLabel('Months').fill('12');
      await added.getByRole('button', { name: 'Add maintenance task' }).click();
      await added.getByText('Choose a device.').waitFor();
      await added.getByRole('combobox', { name: 'Device' }).click();
      await added.getByRole('option').first().click();
      await added.getByRole('button', { name: 'Add maintenance task' }).click();
      await page.getByRole('button', { name: 'Done: Inspection' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
      await page.getByText('Added to the history').waitFor();
      await page.getByRole('link', { name: 'Oil change' }).click();
      await page.getByRole('button', { name: 'Done: Oil change' }).click();
      const dialog = page.getByRole('dialog', { name: 'Oil change was done' });
      await dialog.getByLabel('Odometer').fill('84200');
      await dialog.getByLabel('Note').fill('Garage in Mainz');
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('cell', { name: 'Garage in Mainz' }).waitFor();
      await picture(page, 'device-maintenance-laptop-light');
    });
    const [task] = (await owner.get(`/devices/${id}/maintenanceTasks`)).body;
    assert.deepEqual([task.status, Math.round(task.distanceKm)], ['ok', 0]);
  });

  test('a driver is added, signed on and off, and shown with the trip', async () => {
    const { owner, id, drive } = await fleet();
    await drive();
    await bed.visit('/drivers', { as: owner, size: 'phone' }, async (page) => {
      await page.getByRole('button', { name: 'Add driver' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add driver' });
      await dialog.getByLabel('Name').fill('Jane Doe');
      await dialog.getByLabel('Phone').fill('+49 6131 0000');
      await dialog.getByLabel('Tags').fill('01 00 1A 2B');
      await dialog.getByRole('button', { name: 'Add driver' }).click();
      await page.getByText('Jane Doe').waitFor();
      await picture(page, 'drivers-phone-light');
    });
    const [jane] = (await owner.get('/users/me/drivers')).body;
    await bed.visit(`/devices/${id}`, { as: owner, theme: 'dark' }, async (page) => {
      await page.getByText('No driver.').waitFor();
      await page.getByRole('button', { name: 'Assign' }).click();
      const dialog = page.getByRole('dialog', { name: 'Assign a driver' });
      await dialog.getByLabel('Driver').selectOption('Jane Doe');
      await dialog.getByRole('button', { name: 'Assign' }).click();
      await page.getByText(/manually/).waitFor();
      await picture(page, 'device-driver-laptop-dark');
      await page.getByRole('button', { name: 'End shift' }).click();
      await page.getByText('No driver.').waitFor();
    });
    await owner.make(`/devices/${id}/driver`, {
      driverId: jane.id,
      at: new Date(Date.now() - 180 * MINUTE).toISOString(),
    });
    await owner.make(`/devices/${id}/driver`, { driverId: jane.id });
    await bed.visit('/drivers', { as: owner }, async (page) => {
      const row = page.getByRole('row').filter({ hasText: 'Jane Doe' });
      const name = (await owner.get(`/devices/${id}`)).body.name;
      await row.getByRole('link', { name }).nth(1).waitFor();
      await row
        .getByText(/\d+ min/)
        .first()
        .waitFor();
    });
    await bed.visit(`/devices/${id}/day`, { as: owner }, async (page) => {
      await page.getByText('Driver: Jane Doe').waitFor();
    });
  });

  test('a trip becomes a corridor, whose width can be changed later', async () => {
    const { owner, id, drive } = await fleet();
    await drive();
    await bed.visit(`/devices/${id}/day`, { as: owner }, async (page) => {
      await page.getByRole('list', { name: 'Trips and stops' }).getByRole('button').first().click();
      await page.getByRole('button', { name: 'Create a corridor' }).click();
      await page.getByLabel('Width to either side').waitFor();
      await page.getByLabel('Name').fill('Way to Mainz');
      await page.getByLabel('Width to either side').fill('2');
      await page.getByText('The width must be between 5 m and 10 km.').waitFor();
      await page.getByLabel('Width to either side').fill('150');
      await picture(page, 'corridor-laptop-light');
      await page.getByRole('button', { name: 'Add geofence' }).click();
      await page.getByRole('heading', { name: 'Way to Mainz', level: 1 }).waitFor();
      await page.getByText('Corridor, 150 m to either side').waitFor();
    });
    const [made] = (await owner.get('/users/me/geofences')).body;
    assert.equal(made.meta.corridor.widthM, 150);
    assert.ok(made.meta.corridor.path.length >= 2 && made.outline.length >= 8, `${made.outline.length} corners`);
    await bed.visit(`/geofences/${made.id}/edit`, { as: owner, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByLabel('Width to either side').fill('300');
      await picture(page, 'corridor-phone-dark');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Corridor, 300 m to either side').waitFor();
    });
    const [wider] = (await owner.get('/users/me/geofences')).body;
    assert.deepEqual(wider.meta.corridor.path, made.meta.corridor.path);
    assert.notDeepEqual(wider.outline, made.outline);
  });

  test('a device has an icon, and the map shows where it was', async () => {
    const { owner, id, drive } = await fleet();
    await drive();
    await bed.visit(`/devices/${id}`, { as: owner }, async (page) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Icon').selectOption('Truck');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
    });
    assert.deepEqual((await owner.get(`/devices/${id}`)).body.meta, { icon: 'truck' });
    const [seen] = (await owner.get('/users/me/whereabouts')).body;
    assert.equal(seen.icon, 'truck');
    for (const [size, theme] of [
      ['laptop', 'light'],
      ['phone', 'dark'],
    ] as const)
      await bed.visit('/', { as: owner, size, theme }, async (page) => {
        const asked = page.waitForResponse((response) => response.url().includes('/heatMap?'));
        await page.getByRole('button', { name: 'Heat map' }).click();
        await page.getByRole('menuitemradio', { name: 'Last 7 days' }).click();
        const { cells } = (await (await asked).json()) as { cells: unknown[] };
        assert.ok(cells.length > 0);
        await picture(page, `heat-${size}-${theme}`);
      });
    await bed.visit('/devices', { as: owner }, async (page) => {
      await page.getByRole('link', { name: 'Van 3' }).waitFor();
      await picture(page, 'devices-laptop-light');
    });
  });
});
