import assert from 'node:assert/strict';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import { assertFits, inBrowser } from './harness.ts';

/** Commands of people to a device. */
inBrowser('Commands to a device in the console', (bed) => {
  const newOwner = async (): Promise<Voice> => voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'commands'));
  const newDevice = (owner: Voice) => owner.make('/devices', { name: 'Van 3' });
  /** What the device says, and what it is answered. */
  const report = async (key: string, body: object = {}) => {
    const answer = await bed.api('POST', '/ingest/reports', { headers: { authorization: key }, body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };

  test('switching the radio off waits for the device, is changed meanwhile, and shows its end once the device confirmed', async () => {
    const owner = await newOwner();
    const { id, deviceKey } = await newDevice(owner);
    await bed.visit(`/devices/${id}`, { as: owner, size: 'phone' }, async (page) => {
      await page.getByText('No mode is active. The device uses its configuration.').waitFor();
      await page.getByRole('button', { name: 'Choose mode' }).click();
      await page.getByRole('menuitem', { name: 'Switch radio off…' }).click();
      await page.getByLabel('Duration', { exact: true }).selectOption('4 h');
      await page.getByText(/If the device confirms now, the mode ends/).waitFor();
      await page.getByRole('button', { name: 'Switch radio off' }).click();
      await page.getByText('Radio off for 4 h: waiting for the device').waitFor();

      await page.getByRole('button', { name: 'Change…' }).click();
      await page.getByLabel('Duration', { exact: true }).selectOption('Other…');
      await page.getByLabel('Minutes').fill('0');
      await page.getByText('Enter a whole number from 1 to 65,535.').waitFor();
      await page.getByLabel('Minutes').fill('100');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Radio off for 1 h 40 min: waiting for the device').waitFor();

      const { messages } = await report(deviceKey);
      assert.deepEqual(
        messages.map(({ message }: { message: string }) => message),
        ['flightMode 100'],
      );
      await report(deviceKey, { taken: { messages: [messages[0].id] } });
      const [mode] = (await owner.get(`/devices/${id}/transients`)).body;
      const end = clockInBerlin(mode.end);
      await page
        .getByText(new RegExp(`^Radio off until .*${end}`))
        .first()
        .waitFor();
      await page.getByText('The device cannot be reached until then.').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0, 'it cannot be called back');
      await assertFits(page);
    });
  });

  test('a mode that the device has not received is cancelled, and who may only view sees modes without buttons', async () => {
    const owner = await newOwner();
    const friend = await newOwner();
    const { id, deviceKey } = await newDevice(owner);
    await owner.make(`/devices/${id}/shares`, { email: friend.email, rights: 'view' });
    await owner.make(`/devices/${id}/flightMode`, { duration: 60 });
    await bed.visit(`/devices/${id}`, { as: owner }, async (page) => {
      await page.getByRole('button', { name: 'Choose mode' }).click();
      await page.getByRole('menuitem', { name: 'Sleep…' }).click();
      await page.getByLabel('Duration', { exact: true }).selectOption('Until changed');
      await page.getByRole('button', { name: 'Switch to sleep mode' }).click();
      const sleep = page.getByRole('listitem').filter({ hasText: 'Sleep until changed' });
      await sleep.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Canceled. The device will not receive the request.').waitFor();
      await sleep.waitFor({ state: 'detached' });
    });
    await bed.visit(`/devices/${id}`, { as: friend }, async (page) => {
      await page.getByText('Radio off for 1 h: waiting for the device').waitFor();
      for (const name of ['Choose mode', 'Change…', 'Cancel'])
        assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    });
    const { messages } = await report(deviceKey);
    assert.deepEqual(
      messages.map(({ message }: { message: string }) => message),
      ['flightMode 60'],
    );
  });

  test('a firmware update is requested, cancelled and taken back, sent to the device and over once it is installed', async () => {
    const owner = await newOwner();
    const friend = await newOwner();
    const { id, deviceKey } = await newDevice(owner);
    await owner.make(`/devices/${id}/shares`, { email: friend.email, rights: 'view' });
    await report(deviceKey, { currentFW: '1204' });
    await bed.visit(`/devices/${id}/config`, { as: owner, size: 'phone' }, async (page) => {
      const card = page.locator('section', { has: page.getByRole('heading', { name: 'Firmware' }) });
      await card.getByText('1204').waitFor();
      await card.getByText('None requested').waitFor();
      await card.getByRole('button', { name: 'Request update…' }).click();
      await page.getByLabel('Version').fill('1205');
      await page.getByLabel('Urgency').selectOption('Forced');
      await page.getByText('even if its battery is low').waitFor();
      await page.getByRole('button', { name: 'Request update', exact: true }).click();
      await card.getByText('Waiting for the device').waitFor();
      await card.getByRole('button', { name: 'Cancel update' }).click();
      await card.getByText('None requested').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await card.getByText('Waiting for the device').waitFor();
      await assertFits(page);
      const { config } = await report(deviceKey);
      assert.deepEqual([config.otaFW, config.forceFw], ['1205', true]);
      await report(deviceKey, { currentFW: '1205' });
      await page.reload();
      await card.getByText('1205').waitFor();
      await card.getByText('None requested').waitFor();
    });
    await bed.visit(`/devices/${id}/config`, { as: friend }, async (page) => {
      await page.getByText('1205').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Request update…' }).count(), 0);
    });
  });
});

/** As the browser of the tests writes it. */
const clockInBerlin = (time: string) =>
  new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Berlin' }).format(new Date(time));
