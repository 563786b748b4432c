import test from 'node:test';
import { assertFits, inBrowser } from './harness.ts';

inBrowser('The console', (bed) => {
  test('an address for those who signed in asks others to sign in, and leads there afterwards', async () => {
    await bed.visit('/devices', { size: 'phone' }, async (page) => {
      await page.getByLabel(/e-mail/i).fill(bed.admin.email);
      await page.getByLabel('Password', { exact: true }).fill(bed.admin.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
      await assertFits(page);
    });
  });
});
