import assert from 'node:assert/strict';
import test from 'node:test';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';

inBrowser('The command palette', (bed) => {
  test('finds pages and devices by keys alone, and says which keys there are', async () => {
    const { id } = await bed.admin.make('/devices', { name: 'Blue 100% van' });
    await bed.visit('/devices', { as: bed.admin }, async (page) => {
      await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: 'Search pages and devices' });
      // It has the cursor: nobody has to click.
      await field.and(page.locator(':focus')).waitFor();
      await page.keyboard.type('outb');
      await page.getByRole('option', { name: 'Outbox', selected: true }).waitFor();
      assert.deepEqual(await findings(page), []);
      await field.fill('gpx');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Import history' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await field.fill('100% v');
      await page.getByRole('option', { name: 'Blue 100% van', selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/devices/${id}`);
      await page.getByRole('heading', { name: 'Blue 100% van', level: 1 }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      assert.deepEqual(await findings(page), []);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('g');
      await page.keyboard.press('n');
      await page.waitForURL('**/notifications');
    });
  });

  test('fits a phone, where a menu opens it', async () => {
    await bed.visit('/devices', { as: bed.admin, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Search…' }).click();
      await page.getByRole('combobox', { name: 'Search pages and devices' }).fill('geo');
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
      await page.getByRole('option', { name: 'Geofences' }).click();
      await page.waitForURL('**/geofences');
    });
  });
});
