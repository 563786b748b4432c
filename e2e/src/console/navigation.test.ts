import assert from 'node:assert/strict';
import test from 'node:test';
import type { Locator } from 'playwright-core';
import { findings } from './axe.ts';
import { cutOff } from './cut-off.ts';
import { assertFits, inBrowser } from './harness.ts';
import { goOn, settled } from './settled.ts';
import { assertCount, until } from './until.ts';

/** Whether a press in the middle of it reaches it: nothing covers it, and it is inside the window. */
const isOnTop = (element: Locator): Promise<boolean> =>
  element.evaluate((found) => {
    const { x, y, width, height } = found.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return top !== null && found.contains(top);
  });

const assertOnTop = (element: Locator) => until(() => isOnTop(element), `${element} is on top`);

inBrowser('The navigation', (bed) => {
  test('is a sidebar with labeled sections, of which nothing is cut off in a low window', async () => {
    await bed.visit('/devices', { as: bed.admin }, async (page) => {
      await page.setViewportSize({ width: 1366, height: 768 });
      await settled(page);
      const menu = page.getByRole('navigation', { name: 'Main' });
      for (const [section, entry] of [
        ['Track', 'Map'],
        ['Fleet', 'Reports'],
        ['Developer', 'Personal tokens'],
        ['Admin', 'Users'],
      ] as const)
        await assertOnTop(menu.getByRole('group', { name: section }).getByRole('link', { name: entry }));
      assert.equal(await menu.getByRole('link', { name: 'Devices' }).getAttribute('aria-current'), 'page');
      const account = menu.getByRole('button', { name: /^Account/ });
      await assertOnTop(account);
      assert.deepEqual([...(await findings(page)), ...(await cutOff(page))], []);

      // Lower than its entries: they scroll, and the account menu stays in sight.
      await page.setViewportSize({ width: 1366, height: 480 });
      await page.waitForFunction(() => innerHeight === 480);
      const last = menu.getByRole('link', { name: 'Health' });
      // The page may get its new height after it was focused.
      await until(async () => {
        await last.blur();
        await last.focus();
        return isOnTop(last);
      }, 'the last entry is on top');
      await assertOnTop(account);
      await account.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Settings' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('End');
      const signOut = page.getByRole('menuitem', { name: 'Sign out' });
      await signOut.and(page.locator(':focus')).waitFor();
      await assertOnTop(signOut);
      assert.deepEqual(await findings(page), []);
      await page.keyboard.press('Escape');
      await account.and(page.locator(':focus')).waitFor();
    });
  });

  test('is a bar at the bottom of a phone, with a sheet of all pages that scrolls', async () => {
    await bed.visit('/devices', { as: bed.admin, size: 'phone', theme: 'dark' }, async (page) => {
      await settled(page);
      const menu = page.getByRole('navigation', { name: 'Main' });
      await assertCount(menu.getByRole('link'), 4);
      await menu.getByRole('button', { name: 'More' }).click();
      const sheet = page.getByRole('dialog', { name: 'More' });
      await assertOnTop(sheet.getByRole('link', { name: 'Map' }));
      const signOut = sheet.getByRole('button', { name: 'Sign out' });
      assert.ok(!(await isOnTop(signOut)), 'it is below the window');
      await signOut.focus();
      await assertOnTop(signOut);
      await assertFits(page);
      assert.deepEqual([...(await findings(page)), ...(await cutOff(page))], []);
      await sheet.getByRole('link', { name: 'Health' }).click();
      await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
      await sheet.waitFor({ state: 'detached' });
    });
  });
});

inBrowser('Pages', (bed) => {
  test('have their titles in one place, with and without a link back', async () => {
    const { id } = await bed.admin.make('/devices', { name: 'Van 3' });
    await bed.visit('/devices', { as: bed.admin }, async (page) => {
      await page.setViewportSize({ width: 1600, height: 900 });
      const places = new Set<string>();
      for (const path of [
        '/devices',
        `/devices/${id}`,
        '/alerts',
        '/alerts/new',
        '/notifications',
        '/audit',
        '/settings',
      ]) {
        await goOn(page, path);
        const { x, y } = (await page.getByRole('heading', { level: 1 }).boundingBox())!;
        places.add(`${Math.round(x)},${Math.round(y)}`);
      }
      assert.equal(places.size, 1, [...places].join(' '));
    });
  });

  test('keep the player of a day above the bar of a phone', async () => {
    const { id, deviceKey } = await bed.admin.make('/devices', { name: 'Van 4' });
    const points = [0, 1, 2].map((minute) => ({
      timestamp: new Date(Date.now() - (3 - minute) * 60_000).toISOString(),
      location: { lat: 52 + minute / 100, lng: 5 },
    }));
    await bed.api('POST', '/ingest/reports', { headers: { authorization: deviceKey }, body: { points } });
    await bed.visit(`/devices/${id}/day`, { as: bed.admin, size: 'phone' }, async (page) => {
      const play = page.getByRole('button', { name: 'Play' });
      await play.waitFor();
      await assertOnTop(play);
    });
  });
});

inBrowser('Lists on a phone', (bed) => {
  test('begin within 200 px, with one button for their filters', async () => {
    const { id } = await bed.admin.make('/devices', { name: 'Van 3' });
    await bed.admin.make(`/devices/${id}/notificationTriggers`, { type: 'newLoc' });
    await bed.admin.make(`/devices/${id}/points`, { location: { lat: 52, lng: 5 }, accuracy: 5 });
    await bed.visit('/devices', { as: bed.admin, size: 'phone' }, async (page) => {
      for (const [path, row] of [
        ['/devices', page.getByRole('link', { name: 'Van 3' })],
        ['/notifications', page.getByRole('link', { name: /Van 3 reported/ })],
        ['/audit', page.getByRole('cell').first()],
      ] as const) {
        await goOn(page, path);
        await row.waitFor();
        const { y } = (await row.boundingBox())!;
        assert.ok(y <= 200, `the first row of ${path} begins at ${y} px`);
        await page.getByRole('button', { name: 'Filters' }).click();
        await page.getByRole('dialog', { name: 'Filters' }).waitFor();
        assert.deepEqual([...(await findings(page)), ...(await cutOff(page))], [], path);
        await page.keyboard.press('Escape');
      }
    });
  });
});
