import assert from 'node:assert/strict';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import { assertFits, inBrowser } from './harness.ts';

inBrowser('Claiming a device in the console', (bed) => {
  const newPerson = async (): Promise<Voice> => voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'claims'));

  test('an admin offers a device, and whoever knows its serial number becomes its owner after a question', async () => {
    const buyer = await newPerson();
    const { id } = await bed.admin.make('/devices', { name: 'Tracker 42' });
    await bed.visit(`/devices/${id}`, { as: bed.admin }, async (page) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Can be claimed').selectOption('Yes, deletes its history');
      await page.getByText('Enter the serial number that the new owner uses to claim it.').waitFor();
      await page.getByLabel('Serial number', { exact: true }).fill('A1-00042');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').waitFor();
    });
    await bed.visit('/devices', { as: buyer, size: 'phone' }, async (page) => {
      await page.getByRole('link', { name: 'Add device' }).click();
      await page.getByLabel('Serial number', { exact: true }).fill(' A1-00042 ');
      await page.getByRole('button', { name: 'Claim device…' }).click();
      const question = page.getByRole('dialog', { name: 'Claim A1-00042?' });
      await question.getByText('Its history is deleted').waitFor();
      await assertFits(page);
      await question.getByRole('button', { name: 'Claim device' }).click();
      await page.getByText('Tracker 42 is yours now').waitFor();
      await page.getByRole('heading', { name: 'Tracker 42', level: 1 }).waitFor();
    });
    assert.equal((await buyer.get(`/devices/${id}`)).body.ownerId, buyer.id);
  });

  test('a number that cannot be claimed, and too many tries, say what to do', async () => {
    const guesser = await newPerson();
    await bed.admin.make('/devices', { name: 'Not offered', serial: 'B2' });
    await bed.visit('/welcome', { as: guesser, allows: [/status of 4(00|29)/] }, async (page) => {
      const claim = async (serial: string) => {
        await page.getByLabel('Serial number', { exact: true }).fill(serial);
        await page.getByRole('button', { name: 'Claim device…' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Claim device' }).click();
      };
      await claim('B2');
      await page.getByText('No device with this serial number can be claimed. Check the number.').waitFor();
      for (let tries = 1; tries < 10; tries++)
        await bed.api('POST', '/v2/users/claimDevice', { token: guesser.token, body: { serial: `X${tries}` } });
      await claim('B3');
      await page.getByText(/Too many failed attempts\. Try again in \d+ min\./).waitFor();
    });
  });

  test('who is no admin is not asked whether a device can be claimed', async () => {
    const owner = await newPerson();
    const { id } = await owner.make('/devices', { name: 'Mine' });
    await bed.visit(`/devices/${id}`, { as: owner }, async (page) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Serial number').waitFor();
      assert.equal(await page.getByLabel('Can be claimed').count(), 0);
    });
  });
});
