import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { before } from 'node:test';
import type { Page } from 'playwright-core';
import { findings } from './axe.ts';
import { cutOff } from './cut-off.ts';
import { assertFits, inBrowser } from './harness.ts';
import { settled } from './settled.ts';
import { until } from './until.ts';

/** The API reference as people use it. The harness fails a visit that breaks the policy or asks another host. */

const PICTURES = join(import.meta.dirname, '../../pictures');
/** What the browser says of an answer that refuses, where a test makes one. */
const refused = (status: number) => ({ allows: [new RegExp(`status of ${status}`)] });

const isInSight = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluate((one) => one.getBoundingClientRect().top >= 0 && one.getBoundingClientRect().top < 200);

inBrowser('The API reference', (bed) => {
  let deviceId: number;
  before(async () => {
    deviceId = (await bed.admin.make('/devices', { name: 'Van of the reference' })).id;
  });

  const setToken = async (page: Page, token: string) => {
    await page.getByRole('button', { name: /No token|Token set/ }).click();
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByRole('button', { name: 'Use this token' }).click();
  };
  /** Opens the form of an operation. */
  const tried = async (page: Page, name: string) => {
    const section = page.locator(`#${name}`);
    await section.locator('summary', { hasText: 'Try it' }).click();
    await section.locator('form').waitFor();
    return section;
  };

  test('finds an operation by search, runs it with a token and shows the answer', async () => {
    await bed.visit('/docs', {}, async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('list devices visible');
      await page.getByRole('option', { name: /List the devices visible.* \/api\/devices$/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/api/devices#listDevices');
      const section = await tried(page, 'listDevices');
      await section.getByText('No token is set.').waitFor();
      await setToken(page, bed.admin.token);
      await page.getByRole('button', { name: 'Token set' }).waitFor();
      assert.equal(await section.getByText('No token is set.').isVisible(), false);
      await section.getByRole('button', { name: 'Send' }).click();
      await section.getByText(/^200 OK/).waitFor();
      assert.match(await section.locator('.result code').innerText(), /"Van of the reference"/);
    });
  });

  test('what is typed changes the request, in each language', async () => {
    await bed.visit('/docs/api/devices#getDevice', {}, async (page) => {
      const section = await tried(page, 'getDevice');
      const code = section.locator('.request code');
      await section.getByLabel('id').fill('4711');
      await until(async () => (await code.innerText()).includes('/api/devices/4711'), 'the address has the id');
      assert.match(await code.innerText(), new RegExp(`^curl -sG? '${bed.server.address}/api/devices/4711'`));
      await section.getByRole('button', { name: 'TypeScript' }).click();
      assert.match(await code.innerText(), /client\.getDevice\(\{\s*id: 4711/);
      await section.getByRole('button', { name: 'Python' }).click();
      assert.match(await code.innerText(), /requests\.get\(\s+"[^"]+\/api\/devices\/4711"/);
      await section.getByLabel('id').fill('');
      await section.getByRole('button', { name: 'Send' }).click();
      await section.getByText('id is required.').waitFor();
      await page.reload();
      assert.match(await code.innerText(), /import requests/, 'the language is remembered');
    });
  });

  test('a body is sent as typed, and one that is no JSON is not sent', async () => {
    await bed.visit('/docs/api/devices#createDevice', {}, async (page) => {
      await setToken(page, bed.admin.token);
      const section = await tried(page, 'createDevice');
      await section.getByLabel('Body').fill('{"name": "Typed",');
      await section.getByText(/Body is not JSON/).waitFor();
      await section.getByLabel('Body').fill('{"name": "Typed by hand"}');
      await section.getByRole('button', { name: 'Send' }).click();
      await section.getByText(/^200 OK/).waitFor();
    });
    const { body } = await bed.admin.get(`/devices/count?where=${encodeURIComponent('{"name":"Typed by hand"}')}`);
    assert.equal(body.count, 1);
  });

  test('asks before it deletes, and does nothing after a cancellation', async () => {
    const doomed = (await bed.admin.make('/devices', { name: 'Doomed' })).id;
    await bed.visit('/docs/api/devices#deleteDevice', {}, async (page) => {
      await setToken(page, bed.admin.token);
      const section = await tried(page, 'deleteDevice');
      await section.getByLabel('id').fill(String(doomed));
      await section.getByRole('button', { name: 'Send' }).click();
      const dialog = page.getByRole('dialog', { name: /Delete a device\?/ });
      await dialog.getByText(`DELETE /api/devices/${doomed}`).waitFor();
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      assert.equal((await bed.admin.get(`/devices/${doomed}`)).status, 200, 'Enter is the careful answer');
      await section.getByRole('button', { name: 'Send' }).click();
      await dialog.getByRole('button', { name: 'Run', exact: true }).click();
      await section.getByText(/^204 No Content in/).waitFor();
    });
    assert.equal((await bed.admin.get(`/devices/${doomed}`)).status, 404);
  });

  test('a token is checked, stays in its tab, and is forgotten on request', async () => {
    await bed.visit('/docs/api/devices#listDevices', refused(401), async (page) => {
      await setToken(page, 'not a token');
      await page.getByText('This server does not know the token').waitFor();
      await page.getByLabel('Token', { exact: true }).fill(bed.admin.token);
      await page.getByRole('button', { name: 'Use this token' }).click();
      await page.getByRole('button', { name: 'Token set' }).waitFor();
      const keptOutside = await page.evaluate(
        () => JSON.stringify({ ...localStorage }) + document.cookie + location.href,
      );
      assert.ok(!keptOutside.includes(bed.admin.token));
      assert.ok(!(await page.locator('body').innerText()).includes(bed.admin.token));
      await page.reload();
      await page.getByRole('button', { name: 'Token set' }).waitFor();
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByRole('button', { name: 'No token' }).waitFor();
      await other.close();
      await page.getByRole('button', { name: 'Token set' }).click();
      await page.getByRole('button', { name: 'Remove the token' }).click();
      await page.getByRole('button', { name: 'No token' }).waitFor();
      assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    });
  });

  test('a user who is signed in to the console can run requests without a token', async () => {
    await bed.visit('/docs/api/users-and-tokens#getUser', { as: bed.admin }, async (page) => {
      const section = await tried(page, 'getUser');
      await section.getByLabel('id').fill('me');
      await section.getByRole('button', { name: 'Set a token' }).click();
      await page.getByRole('button', { name: 'Use my console session' }).click();
      await page.getByRole('button', { name: 'Console session' }).waitFor();
      const kept = () => page.evaluate(() => JSON.stringify({ ...sessionStorage }));
      await until(async () => (await kept()) === '{"trackway.reference.token":"\\"session\\""}', 'the choice is kept');
      await section.getByRole('button', { name: 'Send' }).click();
      await section.getByText(/^200 OK/).waitFor();
      assert.ok((await section.locator('.result code').innerText()).includes(bed.admin.email));
    });
    await bed.visit('/docs', {}, async (page) => {
      await page.getByRole('button', { name: 'No token' }).click();
      await page.getByRole('button', { name: 'Use my console session' }).click();
      await page.getByText('This browser is not signed in').waitFor();
    });
  });

  test('shows a stream as it comes, until it is stopped', async () => {
    await bed.visit('/docs/api/live#live', {}, async (page) => {
      await setToken(page, bed.admin.token);
      const section = await tried(page, 'live');
      await section.getByLabel('devices').fill(String(deviceId));
      await section.getByRole('button', { name: 'Send' }).click();
      await section.getByText(/^200 OK/).waitFor();
      await bed.admin.post(`/devices/${deviceId}/points`, { location: { lat: 51.5, lng: -0.1 } });
      await section.locator('.result code', { hasText: 'event: position' }).waitFor();
      await section.getByRole('button', { name: 'Stop' }).click();
      await section.getByText(/\(stopped\)/).waitFor();
    });
  });

  test('links to an operation open it, those of the earlier reference too', async () => {
    for (const path of [
      '/docs/api/geofences#createGeofence',
      '/docs/operations/createGeofence',
      '/docs#/Geofences/createGeofence',
    ])
      await bed.visit(path, {}, async (page) => {
        await page.waitForURL('**/docs/api/geofences#createGeofence');
        await until(() => isInSight(page, '#createGeofence'), 'it is in sight');
      });
  });

  test('can be read and walked without a mouse, and without scripts', async () => {
    await bed.visit('/docs', {}, async (page) => {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content');
      await page.keyboard.press('Control+k');
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'search');
      await page.keyboard.type('webhook signature');
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Escape');
      assert.equal(await page.getByRole('option').first().isVisible(), false);
      await page.getByLabel('Theme').selectOption('dark');
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'dark');
      await page.reload();
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'dark');
    });
    const { text } = await bed.api('GET', '/docs/api/devices');
    assert.match(text, /<h2[^>]*><a[^>]*>Create a device<\/a>/, 'the server sends the texts');
  });

  test('can be used by everyone, on a laptop and on a phone, in both themes, and cuts no text off', async () => {
    mkdirSync(PICTURES, { recursive: true });
    const problems: string[] = [];
    const pages = [
      ['overview', '/docs', undefined],
      ['guide', '/docs/guides/webhooks', undefined],
      ['chapter', '/docs/api/messages', 'createMessage'],
      ['stream', '/docs/api/live', undefined],
    ] as const;
    for (const [size, theme] of [
      ['laptop', 'light'],
      ['phone', 'dark'],
    ] as const)
      for (const [name, path, operation] of pages)
        await bed.visit(path, { size, theme }, async (page) => {
          await settled(page);
          const examine = async (state: string) => {
            await assertFits(page);
            await page.screenshot({ path: join(PICTURES, `reference-${name}${state}-${size}-${theme}.png`) });
            // Good practice alone: each example of a chapter is a region, and many are called alike.
            const found = [...(await findings(page, ['landmark-unique'])), ...(await cutOff(page))];
            problems.push(...found.map((finding) => `${name}${state} on a ${size}, ${theme}: ${finding}`));
          };
          await examine('');
          if (operation === undefined) return;
          await tried(page, operation);
          await examine('-tried');
          await page.getByRole('button', { name: 'Set a token' }).click();
          await examine('-token');
          await page.getByRole('button', { name: 'Cancel' }).click();
          if (size === 'laptop') return;
          await page.getByRole('button', { name: 'List of pages' }).click();
          await page.getByRole('navigation', { name: 'Pages' }).waitFor();
          await examine('-menu');
        });
    assert.deepEqual([...new Set(problems)], []);
  });
});
