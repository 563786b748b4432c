import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { openMailbox } from '../harness/mailbox.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';

const mailbox = await openMailbox();
after(() => mailbox.close());

inBrowser(
  'Channels in the console',
  (bed) => {
    test('an admin sets up mail and tests it, without a restart', async () => {
      await bed.visit('/channels', { as: bed.admin }, async (page) => {
        const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'E-mail' }) });
        await card.getByText('Not set up').waitFor();
        await card.getByLabel('Mail server').fill(mailbox.url);
        await card.getByLabel('Sender').fill('Trackway <track@example.org>');
        await card.getByRole('button', { name: 'Save' }).click();
        await card.getByText('Ready').waitFor();
        await card.getByRole('button', { name: 'Test E-mail' }).click();
        await card.getByText('Sent to the address of your account.').waitFor();
        await mailbox.mailTo(bed.admin.email, /This is a test by Trackway/);
        assert.equal(await page.getByLabel('Bot token').inputValue(), 'Set by TRACKWAY_TELEGRAM_TOKEN');
        assert.deepEqual(await findings(page), []);
        // What was not possible without mail.
        const invited = await bed.admin.post('/invitations', { email: 'new@example.org' });
        assert.equal(invited.status, 200, invited.text);
        await mailbox.mailTo('new@example.org', /invitation/);
      });
      await bed.visit('/channels', { as: bed.admin, size: 'phone', theme: 'dark' }, async (page) => {
        await page.getByText('Ready').first().waitFor();
        await assertFits(page);
        assert.deepEqual(await findings(page), []);
        await page.getByRole('button', { name: 'Remove settings' }).click();
        await page.getByText('Not set up').first().waitFor();
      });
    });
  },
  {
    TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8',
    TRACKWAY_TELEGRAM_TOKEN: '123456:ABC-DEF',
    TRACKWAY_PUBLIC_URL: 'http://trackway.example.org',
  },
);
