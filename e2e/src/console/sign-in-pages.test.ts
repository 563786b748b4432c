import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { logIn, makePerson, PASSWORD } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { inBrowser } from './harness.ts';
import { until } from './until.ts';

const SQLITE_BUSY = 5;

inBrowser('Tokens, sessions and the audit trail', (bed) => {
  /** Returns false if the server, which runs in this process, is writing: it cannot go on while this waits. */
  function makeOld(userId: number): boolean {
    const database = new DatabaseSync(join(bed.folder, 'trackway.db'));
    try {
      database.prepare('UPDATE "tokens" SET "signedInAt" = 1 WHERE "userId" = ?').run(userId);
      return true;
    } catch (error) {
      if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
      throw error;
    } finally {
      database.close();
    }
  }

  test('a token is limited in its form, and the password is asked for when the sign-in is old', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'careful'));
    const { id: van } = await owner.make('/devices', { name: 'Van 12' });
    await owner.make('/devices', { name: 'Trailer' });
    const allows = [/403/, /Failed to load resource/];
    await bed.visit('/tokens', { as: owner, allows }, async (page) => {
      // The page gets its token anew from the session of the browser, which is old now.
      await eventually('the sign-in is old', () => makeOld(owner.id));
      await page.reload();
      await page.getByRole('button', { name: 'Add token' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Description').fill('Dashboard');
      await dialog.getByLabel('Access', { exact: true }).selectOption({ label: 'Read only' });
      await dialog.getByLabel('Devices', { exact: true }).first().click();
      await dialog.getByRole('option', { name: 'Van 12' }).click();
      await dialog.getByRole('button', { name: 'Remove Van 12' }).waitFor();
      await dialog.getByLabel('Positions', { exact: true }).check();
      await dialog.getByRole('button', { name: 'Add token' }).click();
      await dialog.getByLabel('Your password').fill(PASSWORD);
      await dialog.getByRole('button', { name: 'Add token' }).click();
      await page.getByRole('heading', { name: 'Token added' }).waitFor();
      const token = await dialog.locator('code').first().innerText();
      assert.equal((await bed.api('GET', `/api/devices/${van}/points`, { token })).status, 200);
      assert.equal((await bed.api('GET', `/api/devices/${van}`, { token })).status, 403);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('cell', { name: 'Read only, 1 device, 1 area', exact: true }).waitFor();
    });
  });

  test('people see where they are signed in, and end it there', async () => {
    const owner = await makePerson(bed.api, bed.admin, 'travels');
    const lost = await logIn(bed.api, owner.email);
    await bed.visit('/settings', { as: owner }, async (page) => {
      await page.getByText('This session').waitFor();
      await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click();
      // Those of the two logins through the API.
      await page.getByText('2 sessions ended').waitFor();
      await page.reload();
      await page.getByText('This session').waitFor();
    });
    const isEnded = async () => (await bed.api('GET', '/api/users/me', { token: lost })).status === 401;
    await until(isEnded, 'the other session has ended');
  });

  test('the audit trail shows who did what, and is narrowed by action', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'audited'));
    await owner.make('/devices', { name: 'Crane' });
    await bed.visit('/audit', { as: owner }, async (page) => {
      await page.getByRole('row').filter({ hasText: 'Created a device' }).filter({ hasText: 'Crane' }).waitFor();
      await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Signed in' });
      await page.getByRole('cell', { name: 'Signed in' }).first().waitFor();
      await page.getByRole('cell', { name: 'Created a device' }).waitFor({ state: 'detached' });
      await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Deleted an account' });
      await page.getByText('No entries match').waitFor();
    });
    await bed.visit('/audit', { as: bed.admin, size: 'phone' }, async (page) => {
      await page.getByRole('row').filter({ hasText: owner.email }).first().waitFor();
    });
  });
});
