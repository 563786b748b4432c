import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { openMailbox } from '../harness/mailbox.ts';
import { logIn, makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { assertFits, inBrowser } from './harness.ts';
import { settled } from './settled.ts';

const mailbox = await openMailbox();
after(() => mailbox.close());

const PASSWORD = 'a quite new password';

inBrowser(
  'Links in mails',
  (bed) => {
    test('lead from a forgotten password to a new one', async () => {
      const person = await makePerson(bed.api, bed.admin, 'forgetful');
      await bed.visit('/sign-in', { size: 'phone' }, async (page) => {
        await page.getByRole('link', { name: 'Forgot your password?' }).click();
        await page.getByLabel('E-mail address').fill(person.email);
        await assertFits(page);
        await page.getByRole('button', { name: 'Send link' }).click();
        await page.getByRole('heading', { name: 'Check your e-mail' }).waitFor();
      });
      const link = await mailbox.linkTo(person.email, '/reset');
      await bed.visit(link, { size: 'phone', as: person }, async (page) => {
        await page.getByLabel('New password').fill(PASSWORD);
        await page.getByRole('button', { name: 'Set password' }).click();
        await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
        await assertFits(page);
        await page.getByRole('link', { name: 'Go to sign-in' }).click();
        await page.getByLabel(/e-mail/i).fill(person.email);
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('navigation', { name: 'Main' }).waitFor();
      });
      await bed.visit(link, { allows: [/403/] }, async (page) => {
        await page.getByLabel('New password').fill(PASSWORD);
        await page.getByRole('button', { name: 'Set password' }).click();
        await page.getByRole('alert').getByText('This link is no longer valid').waitFor();
      });
    });

    test('change an address once it is confirmed', async () => {
      const person = await makePerson(bed.api, bed.admin, 'mover');
      const email = 'moved@example.org';
      await bed.visit('/settings', { as: person }, async (page) => {
        await page.getByLabel('E-mail', { exact: true }).fill(email);
        await page.getByLabel('Current password').first().fill(person.password);
        await page.getByRole('button', { name: 'Save' }).first().click();
        await page.getByText(`Open the link sent to ${email}`).waitFor();
        await page.getByRole('button', { name: 'Send link again' }).click();
        await page.getByText(`A link was sent to ${email}`).first().waitFor();
        assert.equal(await page.getByLabel('E-mail', { exact: true }).inputValue(), person.email);
        await assertFits(page);
      });
      // The second mail replaced the first one.
      const arrived = async () => mailbox.mails.filter(({ to }) => to === email).length;
      await eventually('both mails arrived', arrived, (count) => count === 2);
      await bed.visit(await mailbox.linkTo(email, '/confirm'), { size: 'phone' }, async (page) => {
        await page.getByRole('button', { name: 'Confirm address' }).click();
        await page.getByText(`${email} is now the address of your account`).waitFor();
        await assertFits(page);
      });
      await logIn(bed.api, email, person.password);
    });

    test('invite a person, who chooses a password and sees what was shared with them', async () => {
      const email = 'guest@example.org';
      const { id } = await bed.admin.make('/devices', { name: 'Van' });
      await bed.admin.make(`/devices/${id}/shares`, { email });
      await bed.visit('/users', { as: bed.admin, size: 'phone' }, async (page) => {
        await page.getByText('For a shared device').waitFor();
        await page.getByRole('button', { name: 'Invite by e-mail' }).click();
        await page.getByLabel('E-mail address').fill('else@example.org');
        await page.getByRole('button', { name: 'Send invitation' }).click();
        await page.getByText('Invitation sent to else@example.org').waitFor();
        await page.getByText('else@example.org', { exact: true }).waitFor();
        await settled(page);
        await assertFits(page);
        await page.getByRole('button', { name: 'Revoke the invitation of else@example.org' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
        await page.getByText('Invitation of else@example.org revoked').waitFor();
      });
      await bed.visit(await mailbox.linkTo(email, '/invitation'), { size: 'phone' }, async (page) => {
        await page.getByLabel('Your name').fill('Gwen');
        await page.getByLabel('New password').fill(PASSWORD);
        await assertFits(page);
        await page.getByRole('button', { name: 'Create account' }).click();
        await page.getByRole('navigation', { name: 'Main' }).waitFor();
        await page.goto(`${bed.server.address}/devices`);
        await page.getByRole('link', { name: 'Van' }).first().click();
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: /Leave shared device/ }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Leave device' }).click();
        await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
      });
      assert.deepEqual((await bed.admin.get(`/devices/${id}/shares`)).body, []);
      const token = await logIn(bed.api, email, PASSWORD);
      assert.equal((await bed.api('GET', '/api/users/me', { token })).body.timeZone, 'Europe/Berlin');
    });

    test('let whoever reads an address decide whether it is mailed', async () => {
      const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'teller'));
      const { id } = await owner.make('/devices', { name: 'Boat' });
      const email = 'reader@example.org';
      const trigger = { type: 'button', delivery: { email: true }, parameters: { email } };
      await owner.make(`/devices/${id}/notificationTriggers`, trigger);
      const link = await mailbox.linkTo(email, '/mail');
      await bed.visit(link, { size: 'phone' }, async (page) => {
        await page.getByRole('button', { name: 'No, never e-mail me' }).click();
        await page.getByText(`Trackway will not e-mail ${email} again`).waitFor();
        await assertFits(page);
      });
      await bed.visit(link, {}, async (page) => {
        await page.getByRole('button', { name: 'Yes, send them' }).click();
        await page.getByText(`They will be sent to ${email}`).waitFor();
      });
    });
  },
  {
    TRACKWAY_SMTP_URL: mailbox.url,
    TRACKWAY_SMTP_FROM: 'Trackway <track@example.org>',
    TRACKWAY_PUBLIC_URL: 'http://trackway.example.org',
  },
);

inBrowser('Without mail', (bed) => {
  test('a forgotten password is a matter for an admin', async () => {
    await bed.visit('/forgot', { size: 'phone', allows: [/400/] }, async (page) => {
      await page.getByLabel('E-mail address').fill('me@example.org');
      await page.getByRole('button', { name: 'Send link' }).click();
      await page.getByRole('alert').getByText('Ask an admin for a new password').waitFor();
      await assertFits(page);
    });
  });
});
