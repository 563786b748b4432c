import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { logIn, makePerson } from '../harness/people.ts';
import { startReceiver } from '../harness/receiver.ts';
import { voiceOf } from '../harness/station.ts';
import { ALLOWS_LOCAL } from './furnish.ts';
import { assertFits, inBrowser } from './harness.ts';
import { countSteps } from './steps.ts';
import { assertCount, until } from './until.ts';
import { HERE, village } from './village.ts';

inBrowser(
  'The first minutes',
  (bed) => {
    test('lead from the printed link by three questions to the first position on a street map', async () => {
      const link = /\/setup#\S+/.exec(bed.server.output())?.[0];
      assert.ok(link, `a link is printed: ${bed.server.output()}`);
      // Opening the link is the first.
      const steps = countSteps(1);
      const { step } = steps;
      await bed.visit(link, { size: 'phone' }, async (page) => {
        await page.getByLabel('E-mail address').fill('first@example.org');
        await page.getByLabel('Password').fill('a password for tests');
        await step(page.getByRole('button', { name: 'Create admin account' }).click());
        await page.getByRole('heading', { name: 'Before you start', level: 1 }).waitFor();
        await page.getByText(/^Phones cannot connect yet/).waitFor();
        const network = bed.server.address.replace('127.0.0.1', '127.0.0.2');
        await assert.rejects(fetch(network));
        await step(page.getByRole('switch', { name: 'Let phones on this network connect' }).click());
        await page.getByRole('img', { name: 'QR code with the address of this server' }).waitFor();
        assert.equal(await page.getByLabel('Address of this server', { exact: true }).inputValue(), network);
        await page.getByText(`allow TCP port ${new URL(network).port} in the firewall`).waitFor();
        assert.equal((await fetch(network)).status, 200, 'phones reach the address of the code');
        assert.equal(await page.getByLabel('Time zone').inputValue(), 'Europe/Berlin', 'the one of the browser');
        // The public street map, which tests cannot reach, needs no step.
        assert.ok(await page.getByRole('radio', { name: /^Public street map/ }).isChecked());
        await page.getByRole('radio', { name: /Map file on this server/ }).check();
        await page.getByText('There is no .pmtiles file').waitFor();
        await writeFile(join(bed.folder, 'village.pmtiles'), await village());
        await page.getByRole('button', { name: 'Check again' }).first().click();
        await page.getByLabel('Map file', { exact: true }).waitFor();
        await assertFits(page);
        await step(page.getByRole('button', { name: 'Continue' }).click());
        await page.getByLabel('Device name').fill('My bicycle');
        const streets = page.waitForRequest(/map-files\/village/);
        await step(page.getByRole('button', { name: 'Add device' }).click());
        await page.getByRole('heading', { name: 'Connect My bicycle', level: 1 }).waitFor();
        await page.getByText('Waiting for the first position…').waitFor();
        await assertFits(page);

        const key = await page.locator('code').first().innerText();
        // The phone scans the code, and reports.
        const body = { points: [{ location: HERE, accuracy: 8 }] };
        await step(bed.api('POST', '/ingest/reports', { headers: { authorization: key }, body }));
        await page.getByText('First position received.').waitFor();
        await streets;
        assert.ok(steps.taken <= 6, `${steps.taken} steps to a position on a street map`);
        await page.getByRole('link', { name: 'Go to the map' }).first().click();
        await page.locator('canvas').first().waitFor();
        await page.getByText('This map has no streets yet.').waitFor({ state: 'detached' });
        await page.getByText('1', { exact: true }).first().waitFor();

        await page.goto(`${bed.server.address}/settings`);
        await page.getByRole('switch', { name: 'Let phones on this network connect' }).click();
        await page.getByText('Everyone in your network can then open the sign-in page.').waitFor();
        await assertFits(page);
        await until(
          () =>
            fetch(network).then(
              () => false,
              () => true,
            ),
          'the address is closed',
        );
      });
    });
  },
  { TRACKWAY_ADMIN_EMAIL: '', TRACKWAY_ADMIN_PASSWORD: '' },
);

inBrowser(
  'The console',
  (bed) => {
    test('an address for those who signed in asks others to sign in, and leads there afterwards', async () => {
      await bed.visit('/devices', { size: 'phone' }, async (page) => {
        await page.getByLabel(/e-mail/i).fill(bed.admin.email);
        await page.getByLabel('Password', { exact: true }).fill(bed.admin.password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
        await assertFits(page);
      });
    });

    test('a token is shown once, works, and is dead when it is taken back', async () => {
      const owner = await makePerson(bed.api, bed.admin, 'scripter');
      const steps = countSteps();
      await bed.visit('/devices', { as: owner }, async (page) => {
        await steps.step(page.getByRole('link', { name: 'Personal tokens' }).click());
        await page.getByText('No personal tokens yet').waitFor();
        await steps.step(page.getByRole('button', { name: 'Add token' }).click());
        await page.getByLabel('Description').fill('Backup script');
        await page.getByLabel('Expires after').selectOption({ label: '7 days' });
        await steps.step(page.getByRole('dialog').getByRole('button', { name: 'Add token' }).click());
        await page.getByRole('heading', { name: 'Token added' }).waitFor();
        const token = await page.getByRole('dialog').locator('code').first().innerText();
        assert.equal((await bed.api('GET', '/api/users/me', { token })).body.id, owner.id);
        assert.ok(steps.taken <= 3, `${steps.taken} steps to a request with a token`);
        await page.getByRole('button', { name: 'Done' }).click();
        await page.getByRole('cell', { name: 'Backup script', exact: true }).waitFor();
        assert.ok(!(await page.content()).includes(token), 'it is shown nowhere any more');

        await page.getByRole('button', { name: 'Revoke Backup script' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
        await page.getByText('No personal tokens yet').waitFor();
        assert.equal((await bed.api('GET', '/api/users/me', { token })).status, 401);
      });
    });

    test('an admin adds someone, who can sign in and does not see what is for admins', async () => {
      const steps = countSteps();
      await bed.visit('/devices', { as: bed.admin, size: 'phone' }, async (page) => {
        await steps.step(page.getByRole('button', { name: 'More' }).click());
        await steps.step(page.getByRole('link', { name: 'Users' }).click());
        await steps.step(page.getByRole('button', { name: 'Add user' }).click());
        await page.getByLabel('Full name').fill('Anna Lindqvist');
        await page.getByLabel('E-mail', { exact: true }).fill('anna@example.org');
        await page.getByLabel('Password').fill('short');
        await page.getByRole('dialog').getByRole('button', { name: 'Add user' }).click();
        await page.getByLabel('Password').fill('a password for tests');
        await steps.step(page.getByRole('dialog').getByRole('button', { name: 'Add user' }).click());
        await page.getByRole('link', { name: 'Anna Lindqvist' }).waitFor();
        assert.ok(steps.taken <= 4, `${steps.taken} steps to a user who can sign in`);
        await page.getByRole('link', { name: 'Anna Lindqvist' }).click();
        await page.getByRole('heading', { name: 'Anna Lindqvist', level: 1 }).waitFor();
        await page.getByText('This user owns no devices').waitFor();
        await assertFits(page);
      });
      const token = await logIn(bed.api, 'anna@example.org', 'a password for tests');
      const { body } = await bed.api('GET', '/api/users/me', { token });
      const anna = { id: body.id, email: body.email, password: 'a password for tests', token };
      await bed.visit('/', { as: anna }, async (page) => {
        const menu = page.getByRole('navigation', { name: 'Main' });
        await menu.getByRole('button', { name: 'Account: Anna Lindqvist' }).waitFor();
        await assertCount(menu.getByRole('link', { name: 'Personal tokens' }), 1);
        assert.equal(await menu.getByRole('link', { name: 'Users' }).count(), 0);
        assert.equal(await menu.getByRole('link', { name: 'Health' }).count(), 0);
      });
      await bed.visit(`/users/${body.id}`, { as: bed.admin }, async (page) => {
        await page.getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await page.getByText('Anna Lindqvist was deleted').waitFor();
      });
    });

    test('settings: the profile, quiet hours and the password are kept; units change at once', async () => {
      const person = await makePerson(bed.api, bed.admin, 'settler');
      await bed.visit('/settings', { as: person, size: 'phone', allows: [/422/] }, async (page) => {
        await page.getByLabel('Full name').fill('Tom');
        await page.getByRole('button', { name: 'Save' }).first().click();
        await page.getByText('Saved').first().waitFor();
        await page.getByRole('button', { name: /Europe\/Berlin/ }).click();
        await page.getByLabel('Quiet hours').check();
        await page.getByLabel('From', { exact: true }).fill('23:00');
        await page.getByRole('button', { name: 'Save' }).nth(1).click();
        await page.getByText('Saved').nth(1).waitFor();
        await page.getByText('Kilometers').click();
        await page.getByText('Dark', { exact: true }).click();
        assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');

        await page.getByLabel('Current password').fill('not the one');
        await page.getByLabel('New password', { exact: true }).fill('another password');
        await page.getByLabel('Repeat new password').fill('another password');
        await page.getByRole('button', { name: 'Change password' }).click();
        await page.getByText(/oldPassword.*is not correct/).waitFor();
        await page.getByLabel('Current password').fill(person.password);
        await page.getByRole('button', { name: 'Change password' }).click();
        await page.getByText('Password changed').waitFor();
        await assertFits(page);
      });
      // The new password ended all other sessions.
      const token = await logIn(bed.api, person.email, 'another password');
      const { body } = await bed.api('GET', '/api/users/me', { token });
      assert.equal(body.name, 'Tom');
      assert.equal(body.timeZone, 'Europe/Berlin');
      assert.deepEqual(body.quietHours, { from: '23:00', to: '07:00' });
    });

    test('an admin makes a plan and gives credits; a device is put on it and taken off', async () => {
      await bed.admin.make('/devices', { name: 'Van 7' });
      await bed.visit('/plans', { as: bed.admin }, async (page) => {
        await page.getByText('No plans').waitFor();
        await page.getByRole('button', { name: 'Add plan' }).click();
        await page.getByLabel('Display name').fill('Basic');
        await page.getByLabel('API name').fill('basic-30');
        await page.getByLabel('Price in EUR').fill('4.9');
        await page.getByRole('dialog').getByRole('button', { name: 'Add plan' }).click();
        const plan = page.getByRole('article', { name: 'Basic' });
        await plan.getByText('from €4.90').waitFor();
        await plan.getByText('No credits').waitFor();

        await page.getByRole('button', { name: 'Give credits' }).click();
        await page.getByLabel('Recipient').fill(bed.admin.email);
        await page.getByLabel('Credits', { exact: true }).fill('2');
        await page.getByRole('dialog').getByRole('button', { name: 'Give credits' }).click();
        await plan.getByText('2 credits left').waitFor();

        await page.getByRole('button', { name: 'Put device on plan: Basic' }).click();
        await page.getByRole('combobox', { name: 'Device' }).fill('Van 7');
        await page.getByRole('option', { name: 'Van 7' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Put on plan' }).click();
        await plan.getByText('1 credit left').waitFor();
        await page.getByRole('button', { name: 'End plan of Van 7' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'End plan' }).click();
        await page.getByText('No device is on a plan.').waitFor();
      });
    });

    test('what a webhook refused is found with its reasons, sent again, and arrives', async () => {
      const receiver = await startReceiver();
      try {
        receiver.status = 410;
        const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'sender'));
        const { id } = await owner.make('/devices', { name: 'Van 9' });
        await owner.make(`/devices/${id}/forwarders`, { kind: 'http', target: receiver.address, types: ['newLoc'] });
        await owner.make(`/devices/${id}/points`, { location: { lat: 52, lng: 5 }, accuracy: 5 });
        await bed.visit('/outbox', { as: owner }, async (page) => {
          const destination = page.getByRole('region', { name: /Webhook/ });
          await destination.getByText('Switched off', { exact: true }).waitFor();
          receiver.status = 200;
          await destination.getByRole('button', { name: 'Try now' }).click();
          await destination.getByRole('button', { name: 'Secret' }).click();
          const secret = page.getByRole('dialog').locator('code');
          const before = await secret.innerText();
          assert.match(before, /^whsec_/);
          await page.getByRole('button', { name: 'Replace secret' }).click();
          await page.waitForFunction((old) => document.querySelector('dialog code')?.textContent !== old, before);
          await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
          await destination.getByRole('button', { name: 'Send test' }).click();
          await receiver.has(1);
          await destination.getByText('Working', { exact: true }).waitFor();
          await destination.getByRole('link', { name: 'Deliveries' }).click();
          await page.getByText('Test message').first().waitFor();
        });
      } finally {
        await receiver.close();
      }
    });
  },
  ALLOWS_LOCAL,
);
