import assert from 'node:assert/strict';
import test from 'node:test';
import type { Locator } from 'playwright-core';
import { makePerson } from '../harness/people.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';
import { assertCount, until } from './until.ts';

inBrowser('Alerts in the console', (bed) => {
  async function setting(): Promise<{ owner: Voice; van: number; raise(alarm: string): Promise<void> }> {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'ruler'));
    const { id: van, deviceKey } = await owner.make('/devices', { name: 'Van 3', tags: ['cold'] });
    await owner.make('/devices', { name: 'Lorry' });
    return {
      owner,
      van,
      async raise(value) {
        const readings = [{ type: 'alarm', value, timestamp: new Date().toISOString() }];
        const headers = { authorization: deviceKey };
        const points = [{ location: { lat: 52.1, lng: 5.1 }, timestamp: new Date(Date.now() - 60_000).toISOString() }];
        for (const body of [{ points }, { readings }]) {
          const answer = await bed.api('POST', '/ingest/reports', { headers, body });
          assert.equal(answer.status, 200, answer.text);
        }
      },
    };
  }

  test('an alert for a tag gives the device a trigger, is copied, snoozed and paused, and takes the trigger away', async () => {
    const { owner, van } = await setting();
    await bed.visit('/alerts', { as: owner }, async (page) => {
      await page.getByRole('heading', { name: 'No alerts yet' }).waitFor();
      await page.getByRole('link', { name: 'Add alert' }).first().click();
      await page.getByText('Tag', { exact: true }).click();
      await page.getByText('Alarm of a tracker').click();
      await page.getByRole('button', { name: 'Add alert' }).click();
      await page.getByText('Enter a tag.').waitFor();
      await page.getByRole('textbox', { name: 'Tag' }).fill('cold');
      await page.getByLabel('Name', { exact: true }).fill('Emergency');
      await page.getByText('Critical', { exact: true }).click();
      await page.getByRole('button', { name: 'Add alert' }).click();
      // Push is enabled in no browser, so nobody would notice it.
      await page.getByRole('dialog', { name: 'Save without recipients?' }).waitFor();
      await page.getByRole('button', { name: 'Save anyway' }).click();
      const rules = page.getByRole('list', { name: 'Alerts' });
      await rules.getByText('On 1 device').waitFor();

      await page.goto(`${bed.server.address}/devices/${van}/triggers`);
      await page.getByRole('link', { name: /When Van 3 raises any alarm/ }).click();
      // It leads to the one alert of all devices.
      await page.waitForURL('**/alerts/rules/*');
      await page.getByRole('button', { name: 'Snooze' }).click();
      await page.getByRole('menuitem', { name: 'For 1 hour' }).click();
      await page.getByText(/^Snoozed until \d/).waitFor();
      await page.getByRole('button', { name: 'End snooze' }).click();
      await page.getByRole('button', { name: 'Snooze', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();

      // A copy is paused until it was looked at.
      const original = page.url();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Copy' }).click();
      await until(() => page.url() !== original, 'the copy is shown');
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Emergency (copy)');

      for (const name of ['Emergency (copy)', 'Emergency']) {
        await page.goto(`${bed.server.address}/alerts`);
        await rules.getByRole('link').filter({ hasText: name }).first().click();
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await page.getByRole('button', { name: 'Delete alert' }).click();
        await page.getByText(`“${name}” was deleted`).waitFor();
      }
      await page.getByRole('heading', { name: 'No alerts yet' }).waitFor();
      await until(
        async () => (await owner.client.listNotificationTriggers({ id: van })).length === 0,
        'the device has no trigger any more',
      );
    });
  });

  test('all alerts are paused at once, which can be undone, and go on', async () => {
    const { owner, van } = await setting();
    await owner.make('/users/me/rules', { type: 'alarm', name: 'One', appliesTo: 'all' });
    await owner.make(`/devices/${van}/notificationTriggers`, { type: 'lowBat', name: 'Two', paused: true });
    const paused = async () =>
      [...(await owner.client.listRules({ id: 'me' })), ...(await owner.client.listUserTriggers({ id: 'me' }))].map(
        (alert) => alert.paused,
      );
    await bed.visit('/alerts', { as: owner }, async (page) => {
      const all = page.getByRole('group', { name: 'All alerts' });
      await all.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('2 alerts were changed').waitFor();
      assert.deepEqual(await paused(), [true, true]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await until(async () => (await paused()).includes(false), 'one is not paused, as before');
      assert.deepEqual(await paused(), [false, true]);
      await all.getByRole('button', { name: 'Pause' }).click();
      await all.getByRole('button', { name: 'Resume' }).click();
      await until(async () => !(await paused()).includes(true), 'all go on');
    });
  });

  test('an alert changes from one device to several and keeps its notifications; it is in the list once', async () => {
    const { owner, van, raise } = await setting();
    const { id } = await owner.make(`/devices/${van}/notificationTriggers`, { type: 'alarm', name: 'Emergency' });
    await raise('sos');
    const recorded = async () => (await owner.client.listNotifications({ id: 'me' })).length;
    await until(async () => (await recorded()) === 1, 'it fired');
    const triggers = (device: number) => owner.client.listNotificationTriggers({ id: device });
    await bed.visit(`/notifications/triggers/${van}/${id}`, { as: owner, allows: [/ERR_FAILED/] }, async (page) => {
      await page.waitForURL(`**/alerts/${van}/${id}`);
      const asked: string[] = [];
      page.on('request', (request) => request.method() !== 'GET' && asked.push(request.method()));
      await page.getByText('All', { exact: true }).click();
      await page.getByText(/^When any of my devices raises any alarm/).waitFor();
      // If the former alert cannot be removed, the new one is not kept beside it.
      const former = `**/devices/${van}/notificationTriggers/${id}`;
      await page.route(former, (route) => (route.request().method() === 'DELETE' ? route.abort() : route.continue()));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Save anyway' }).click();
      await page.getByRole('alert').waitFor();
      assert.deepEqual(await owner.client.listRules({ id: 'me' }), []);
      await page.unroute(former);
      asked.length = 0;
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Save anyway' }).click();
      const list = page.getByRole('list', { name: 'Alerts' });
      await list.getByText('On 2 devices').waitFor();
      await assertCount(list.getByRole('listitem'), 1);
      assert.deepEqual(asked, ['POST', 'DELETE'], 'it is created before the old one is removed');
      assert.equal(await recorded(), 1);
      await until(async () => (await triggers(van)).length === 1, 'the device has the alert once');
      assert.ok((await triggers(van))[0]!.meta, 'it follows the rule');

      // Back to one device.
      await list.getByRole('link', { name: /Emergency/ }).click();
      await page.getByText('Device', { exact: true }).first().click();
      await page.getByRole('combobox', { name: 'Device' }).fill('Lorry');
      await page.getByRole('option', { name: 'Lorry' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Save anyway' }).click();
      await list.getByRole('link', { name: /When Lorry raises any alarm/ }).waitFor();
      await assertCount(list.getByRole('listitem'), 1);
      await until(async () => (await triggers(van)).length === 0, 'the first device has no alert');
      assert.equal(await recorded(), 1);
      for (const [old, now] of [
        ['/notifications/triggers', '/alerts'],
        ['/notifications/rules', '/alerts'],
        ['/notifications/triggers/new?device=7', '/alerts/new?device=7'],
        ['/notifications/rules/new?group=7', '/alerts/new?group=7'],
      ]) {
        await page.evaluate((path) => history.pushState(null, '', path), old);
        await page.waitForURL(`**${now}`);
      }
    });
  });

  test('the inbox shows what needs action, and is emptied one by one and at once', async () => {
    const { owner, raise } = await setting();
    await owner.make('/users/me/rules', { type: 'alarm', name: 'Emergency', appliesTo: 'all', severity: 'critical' });
    const rule = async () => (await owner.client.listRules({ id: 'me' }))[0]!;
    await until(async () => (await rule()).isSettled && (await rule()).deviceCount === 2, 'all devices follow');
    for (const alarm of ['sos', 'powerCut', 'door']) await raise(alarm);
    await bed.visit('/notifications?view=action', { as: owner, size: 'phone' }, async (page) => {
      const rows = page.getByRole('listitem');
      await page.getByText('Needs action (3)').waitFor();
      assert.deepEqual(await findings(page), []);
      await page.getByRole('button', { name: /Acknowledge: .*sos/i }).click();
      await page.getByText('Needs action (2)').waitFor();
      await assertCount(rows, 2);
      await page.getByRole('button', { name: 'Bulk actions' }).click();
      await page.getByRole('menuitem', { name: 'Acknowledge all (2)' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
      await page.getByText('2 notifications acknowledged').waitFor();
      await page.getByRole('heading', { name: 'Nothing needs action' }).waitFor();
      // Who acknowledges it has read it.
      await page.getByText('Unread', { exact: true }).click();
      await page.getByRole('heading', { name: 'No unread notifications' }).waitFor();
      await page.getByText('All', { exact: true }).click();
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByLabel('Acknowledged').selectOption('open');
      await page.getByRole('heading', { name: 'No notifications match these filters' }).waitFor();
      await page.getByLabel('Acknowledged').selectOption('done');
      await page.getByLabel('Severity').selectOption('critical');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByRole('button', { name: 'Filters (2)' }).waitFor();
      await assertCount(rows, 3);
      await assertFits(page);
      // The place comes first.
      await rows.first().getByRole('link').click();
      const place = page.getByRole('region', { name: 'Map of the evidence' });
      await place.waitFor();
      const top = async (of: Locator) => (await of.boundingBox())!.y;
      assert.ok((await top(place)) < (await top(page.getByRole('heading', { name: 'Why did this fire?' }))));
    });
  });

  test('what is critical counts at once, is acknowledged with a note, and is read', async () => {
    const { owner, raise } = await setting();
    await owner.make('/users/me/rules', { type: 'alarm', name: 'Emergency', appliesTo: 'all', severity: 'critical' });
    const rule = async () => (await owner.client.listRules({ id: 'me' }))[0]!;
    await until(async () => (await rule()).isSettled && (await rule()).deviceCount === 2, 'all devices follow');
    await bed.visit('/devices', { as: owner }, async (page) => {
      const badge = page.getByTestId('unread').first();
      await page.getByText('Van 3').first().waitFor();
      assert.equal(await badge.count(), 0);
      await raise('sos');
      await badge.getByText('1 unread notification').waitFor({ state: 'attached' });
      await raise('powerCut');
      await badge.getByText('2 unread notifications').waitFor({ state: 'attached' });

      await page
        .getByRole('link', { name: /^Notifications/ })
        .first()
        .click();
      const row = page.getByRole('link', { name: /raised an alarm: sos/i });
      await row.getByText('Critical').waitFor();
      await row.click();
      await page.getByLabel('Note').fill('Called the driver');
      await badge.getByText('1 unread notification').waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Acknowledge' }).click();
      await page.getByText('Called the driver', { exact: true }).waitFor();
      await page.getByText('You', { exact: true }).waitFor();
      // A reading fired it, which has no place: the device was somewhere all the same.
      await page.getByText('The last position before the event, with its accuracy.').waitFor();
      // The rule can be silenced from here, for all of its devices.
      await page.getByText(/By the alert Emergency/).waitFor();
      await page.getByRole('button', { name: 'Snooze' }).click();
      await page.getByRole('menuitem', { name: 'For 1 hour' }).click();
      await page.getByText(/^Snoozed until \d/).waitFor();
      await page.getByText('Changed on all devices of the alert “Emergency”').waitFor();
      assert.ok((await rule()).snoozedUntil);

      await page.getByRole('link', { name: 'Notifications' }).first().click();
      await row.getByText('Acknowledged').waitFor();
      await page.getByRole('button', { name: 'Bulk actions' }).click();
      await page.getByRole('menuitem', { name: 'Mark all as read' }).click();
      await until(async () => (await badge.count()) === 0, 'nothing is unread');
    });
  });
});
