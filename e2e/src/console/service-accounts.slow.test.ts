import assert from 'node:assert/strict';
import test from 'node:test';
import { assertFits, inBrowser } from './harness.ts';
import { settled } from './settled.ts';

inBrowser('Service accounts', (bed) => {
  test('an admin adds one, makes a token that works, and revokes it', async () => {
    await bed.visit('/users', { as: bed.admin, size: 'phone' }, async (page) => {
      await page.getByRole('button', { name: 'Add service account' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Backup script');
      await page.getByRole('dialog').getByRole('button', { name: 'Add service account' }).click();
      await page.getByRole('heading', { name: 'Backup script', level: 1 }).waitFor();
      await page.getByText('No tokens yet').waitFor();
      await page.getByRole('button', { name: 'Add token' }).click();
      await page.getByLabel('Description').fill('nightly');
      await page.getByRole('dialog').getByRole('button', { name: 'Add token' }).click();
      await page.getByRole('heading', { name: 'Token added' }).waitFor();
      const token = await page.getByRole('dialog').locator('code').first().innerText();
      const me = await bed.api('GET', '/api/users/me', { token });
      assert.equal(me.body.name, 'Backup script');
      assert.equal(me.body.kind, 'service');
      await page.getByRole('button', { name: 'Done' }).click();
      await settled(page);
      await assertFits(page);
      await page.getByRole('button', { name: 'Revoke nightly' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('No tokens yet').waitFor();
      assert.equal((await bed.api('GET', '/api/users/me', { token })).status, 401);
      await page.evaluate(() => history.pushState(null, '', '/users'));
      await page.getByText('Service', { exact: true }).waitFor();
    });
  });
});
