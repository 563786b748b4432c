import assert from 'node:assert/strict';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import { assertFits, inBrowser } from './harness.ts';
import { until } from './until.ts';

const MINUTE = 60_000;
const DAY_MS = 24 * 60 * MINUTE;
/** A morning two days ago, in UTC and in the zone of the browser alike. */
const MORNING = Date.parse(`${new Date(Date.now() - 2 * DAY_MS).toISOString().slice(0, 10)}T10:15:00Z`);

inBrowser('The timeline of a device in the console', (bed) => {
  const newOwner = async (): Promise<Voice> => voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'lives'));
  const report = async (key: string, body: object) => {
    const answer = await bed.api('POST', '/ingest/reports', { headers: { authorization: key }, body });
    assert.equal(answer.status, 200, answer.text);
  };

  test('shows trips, the ignition, messages and what was done with the device, by day, and leads to the map', async () => {
    const owner = await newOwner();
    const { id, deviceKey } = await owner.make('/devices', { name: 'Van 3' });
    await report(deviceKey, { points: drive(), readings: ignition(), messages: [{ message: 'On my way' }] });
    await owner.make(`/devices/${id}/shares`, { email: 'anna@example.org', rights: 'view' });
    await until(async () => (await owner.get(`/devices/${id}/trips`)).body.length === 1, 'there is a trip');
    await bed.visit(`/devices/${id}`, { as: owner }, async (page) => {
      await page.getByRole('tab', { name: 'Timeline' }).click();
      const today = page.getByRole('list', { name: 'Events: Today' });
      await today.getByText('The device was created').waitFor();
      await today.getByText('On my way').waitFor();
      await today.getByText('Shared with anna@example.org (view only)').waitFor();
      await page.getByText('Ignition switched on').waitFor();
      await page.getByText('Ignition switched off').waitFor();

      await page.getByRole('button', { name: 'Messages', exact: true }).click();
      await page.waitForURL(/show=messages/);
      await today.getByText('On my way').waitFor();
      assert.equal(await page.getByText('The device was created').count(), 0);
      await page.getByRole('button', { name: 'Trips', exact: true }).click();
      const trip = page.getByRole('link', { name: /^Trip, 3\.\d\smi/ });
      const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Berlin' });
      assert.match(await trip.innerText(), new RegExp(time.format(MORNING).slice(0, 3)), 'in the zone of the viewer');
      await trip.click();
      await page.waitForURL(/\/day\/\d{4}-\d\d-\d\d\?at=trip-\d+/);
      await page.getByRole('button', { name: /max/, pressed: true }).waitFor();
    });
  });

  test('turns to earlier days, says when nothing happened, and shows a message that comes while one looks on', async () => {
    const owner = await newOwner();
    const { id, deviceKey } = await owner.make('/devices', { name: 'Van 4' });
    await bed.visit(`/devices/${id}/timeline`, { as: owner, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByText('The device was created').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Later days' }).isDisabled());
      await report(deviceKey, { messages: [{ message: 'hello there' }] });
      await page.getByText('hello there').waitFor();
      await assertFits(page);
      await page.getByRole('button', { name: 'Earlier days' }).click();
      await page.waitForURL(/timeline\/\d{4}-\d\d-\d\d$/);
      await page.getByText('No events on these days').waitFor();
      await page.getByRole('button', { name: 'Later days' }).click();
      await page.getByText('hello there').waitFor();
    });
  });

  test('who may only view sees nothing of what is for the owner', async () => {
    const owner = await newOwner();
    const friend = await newOwner();
    const { id } = await owner.make('/devices', { name: 'Van 5' });
    await owner.make(`/devices/${id}/shares`, { email: friend.email, rights: 'view' });
    await bed.visit(`/devices/${id}/timeline`, { as: friend }, async (page) => {
      await page.getByText('The device was created').waitFor();
      assert.equal(await page.getByText('The device was shared').count(), 0);
    });
  });
});

/** Ten minutes east at 36 km/h between two rests. */
function drive(): object[] {
  const DEGREES_PER_MINUTE = 600 / (111_320 * Math.cos((52 * Math.PI) / 180));
  return Array.from({ length: 51 }, (_, index) => {
    const minute = index - 10;
    const way = Math.min(10, Math.max(0, minute));
    return {
      timestamp: MORNING + minute * MINUTE,
      location: { lat: 52, lng: 5 + way * DEGREES_PER_MINUTE },
      speed: minute > 0 && minute <= 10 ? 36 : 0,
      accuracy: 5,
    };
  });
}

const ignition = () =>
  (
    [
      [-10, false],
      [0, true],
      [11, false],
    ] as const
  ).map(([minute, value]) => ({ type: 'ignition', value, timestamp: MORNING + minute * MINUTE }));
