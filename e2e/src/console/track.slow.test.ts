import assert from 'node:assert/strict';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';
import { until } from './until.ts';

const HERE = { latitude: 52.52, longitude: 13.4, accuracy: 8 };

inBrowser('The web tracker', (bed) => {
  test('reports while it is open, keeps positions without a connection, and goes on after it is opened again', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'tracked'));
    await bed.visit('/track', { as: owner, size: 'phone', allows: [/ERR_INTERNET_DISCONNECTED/] }, async (page) => {
      const context = page.context();
      await context.grantPermissions(['geolocation']);
      await context.setGeolocation(HERE);
      await page.getByLabel('Name').fill('Anna');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('Reports the position of “Anna”.').waitFor();
      await page.getByText(/not in the background or with the screen off/).waitFor();
      assert.equal(await page.locator('link[rel=manifest]').getAttribute('href'), '/track.webmanifest');
      const { start_url } = await page.evaluate(async () => (await fetch('/track.webmanifest')).json());
      assert.equal(start_url, '/track');
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText('Your position is being reported.').waitFor();
      await page.getByText('Last sent').waitFor();
      await page.getByText('± 8 m').waitFor();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
      const [{ id, name, type }] = (await owner.get('/devices')).body;
      assert.deepEqual([name, type], ['Anna', 'phone']);
      const points = async () => (await owner.get(`/devices/${id}/points`)).body;
      assert.equal((await points()).length, 1);

      await context.setOffline(true);
      let latitude = HERE.latitude;
      await until(async () => {
        latitude += 0.001;
        await context.setGeolocation({ ...HERE, latitude });
        return await page.getByText('1 position', { exact: true }).isVisible();
      }, 'a position is kept');
      await page.getByText(/^The server cannot be reached/).waitFor();
      assert.equal((await points()).length, 1);
      await context.setOffline(false);
      await page.getByText('Your position is being reported.').waitFor();
      await page.getByText('Not sent yet').waitFor({ state: 'detached' });
      const sent = await points();
      assert.ok(sent.length >= 2, `${sent.length} positions were sent`);
      assert.ok(sent.some(({ location }: { location: { lat: number } }) => location.lat > HERE.latitude));

      await page.reload();
      await page.getByText('Your position is being reported.').waitFor();
      const other = await context.newPage();
      await other.goto(page.url());
      await other.getByText(/^Another tab of this browser already reports/).waitFor();
      await other.close();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('button', { name: 'Start' }).waitFor();
    });
  });

  test('opens from the page where a device is connected, and says why it cannot report', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'refusing'));
    await bed.visit('/welcome', { as: owner }, async (page) => {
      await page.getByLabel('Device name').fill('Bob');
      await page.getByRole('button', { name: 'Add device' }).click();
      await page.getByRole('tab', { name: 'Browser' }).click();
      await page.getByRole('link', { name: 'Report from this browser' }).click();
      await page.getByText('Reports the position of “Bob”.').waitFor();
      assert.equal(new URL(page.url()).hash, '', 'the key is not in the address');
      await page.context().grantPermissions([]);
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText(/^This site may not use your location\. Allow it/).waitFor();
      await page.evaluate(() => Object.defineProperty(window, 'isSecureContext', { value: false }));
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText(/^Browsers share their position only with https pages/).waitFor();
      await page.getByRole('button', { name: 'Use another device' }).click();
      await page.getByLabel('Device', { exact: true }).selectOption('Bob');
      await page.getByText(/^This browser gets a new device key/).waitFor();
      assert.deepEqual(await findings(page), []);
    });
    await bed.visit('/track#key=unknown&name=Eve', { allows: [/401/] }, async (page) => {
      await page.context().grantPermissions(['geolocation']);
      await page.context().setGeolocation(HERE);
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText(/^The server does not accept this device/).waitFor();
      await page.getByRole('button', { name: 'Use another device' }).click();
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    });
  });
});
