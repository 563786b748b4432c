import assert from 'node:assert/strict';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import { inBrowser } from './harness.ts';
import { until } from './until.ts';

inBrowser('Rules in the console', (bed) => {
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

  test('a rule for a tag gives the device a trigger, is copied, snoozed and paused, and takes the trigger away', async () => {
    const { owner, van } = await setting();
    await bed.visit('/notifications/rules', { as: owner }, async (page) => {
      await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
      await page.getByRole('link', { name: 'New rule' }).first().click();
      await page.getByText('A tag', { exact: true }).click();
      await page.getByText('Alarm of a tracker').click();
      await page.getByRole('button', { name: 'Create rule' }).click();
      await page.getByText('Enter a tag.').waitFor();
      await page.getByLabel('Tag', { exact: true }).fill('cold');
      await page.getByLabel('Name', { exact: true }).fill('Emergency');
      await page.getByText('Critical', { exact: true }).click();
      await page.getByRole('button', { name: 'Create rule' }).click();
      const rules = page.getByRole('list', { name: 'Rules' });
      await rules.getByText('On 1 device').waitFor();

      await page.goto(`${bed.server.address}/devices/${van}/triggers`);
      await page.getByRole('link', { name: /When Van 3 raises any alarm/ }).click();
      await page.getByText('By rule Emergency.').waitFor();

      await page.goto(`${bed.server.address}/notifications/rules`);
      await rules.getByRole('link', { name: /Emergency/ }).click();
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
      await page.getByRole('button', { name: 'Copy', exact: true }).click();
      await until(() => page.url() !== original, 'the copy is shown');
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Emergency (copy)');

      for (const name of ['Emergency (copy)', 'Emergency']) {
        await page.goto(`${bed.server.address}/notifications/rules`);
        await rules.getByRole('link').filter({ hasText: name }).first().click();
        await page.getByRole('button', { name: 'Delete…' }).click();
        await page.getByRole('button', { name: 'Delete rule' }).click();
        await page.getByText(`“${name}” was deleted`).waitFor();
      }
      await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
      await until(
        async () => (await owner.client.listNotificationTriggers({ id: van })).length === 0,
        'the device has no trigger any more',
      );
    });
  });

  test('all rules are paused at once, which can be undone, and go on', async () => {
    const { owner } = await setting();
    for (const name of ['One', 'Two'])
      await owner.make('/users/me/rules', { type: 'alarm', name, appliesTo: 'all', paused: name === 'Two' });
    const paused = async () => (await owner.client.listRules({ id: 'me' })).map((rule) => rule.paused).sort();
    await bed.visit('/notifications/rules', { as: owner }, async (page) => {
      const all = page.getByRole('group', { name: 'All rules' });
      await all.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('2 rules were changed').waitFor();
      assert.deepEqual(await paused(), [true, true]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await until(async () => (await paused()).includes(false), 'one is not paused, as before');
      assert.deepEqual(await paused(), [false, true]);
      await all.getByRole('button', { name: 'Pause' }).click();
      await all.getByRole('button', { name: 'Resume' }).click();
      await until(async () => !(await paused()).includes(true), 'all go on');
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
      await page.getByText('Its last position before that, with its accuracy.').waitFor();
      // The rule can be silenced from here, for all of its devices.
      await page.getByText(/By rule Emergency/).waitFor();
      await page.getByRole('button', { name: 'Snooze' }).click();
      await page.getByRole('menuitem', { name: 'For 1 hour' }).click();
      await page.getByText(/^Snoozed until \d/).waitFor();
      await page.getByText('Changed on all devices of the rule “Emergency”').waitFor();
      assert.ok((await rule()).snoozedUntil);

      await page.getByRole('link', { name: 'Notifications' }).first().click();
      await row.getByText('Acknowledged').waitFor();
      await page.getByRole('button', { name: 'Mark all as read' }).click();
      await until(async () => (await badge.count()) === 0, 'nothing is unread');
    });
  });
});
