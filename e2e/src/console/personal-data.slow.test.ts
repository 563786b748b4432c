import assert from 'node:assert/strict';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { assertFits, inBrowser } from './harness.ts';

inBrowser('Data of devices and persons in the console', (bed) => {
  test('an owner exports a device, and erases it after typing its name', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'erases'));
    const { id } = await owner.make('/devices', { name: 'Van 9' });
    await bed.visit(`/devices/${id}/access`, { as: owner, size: 'phone' }, async (page) => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export everything' }).click();
      assert.equal((await saved).suggestedFilename(), `device-${id}.zip`);
      await page.getByRole('button', { name: 'Erase device' }).click();
      const question = page.getByRole('dialog', { name: 'Erase Van 9?' });
      await question.getByText('All positions, trips, stops and readings').waitFor();
      await assertFits(page);
      const erase = question.getByRole('button', { name: 'Erase device' });
      assert.ok(await erase.isDisabled(), 'not before its name is typed');
      await question.getByLabel('Type “Van 9” to confirm').fill('Van 9');
      await erase.click();
      await page.getByText('Erased. The signed record was saved as a file.').waitFor();
      await page.waitForURL('**/devices');
    });
    assert.equal((await owner.get(`/devices/${id}`)).status, 404);
  });

  test('an admin sees what other days would remove', async () => {
    await bed.visit('/health', { as: bed.admin }, async (page) => {
      await page.getByText('Nothing would be deleted.').waitFor();
      await page.getByLabel('Positions: Days').fill('90');
      await page.getByRole('cell', { name: 'Positions', exact: true }).waitFor();
      assert.equal(await page.getByLabel('Positions: Days').inputValue(), '90');
    });
  });
});
