import test from 'node:test';
import { assertFits, inBrowser } from './harness.ts';
import { settled } from './settled.ts';

inBrowser(
  'Before there is an account',
  (bed) => {
    test('the front page mentions the set-up link, without a sign-in form', async () => {
      await bed.visit('/', { size: 'phone' }, async (page) => {
        await page.getByRole('heading', { name: 'Set up this server' }).waitFor();
        await page.getByText('/setup#').waitFor();
        await settled(page);
        await assertFits(page);
        const link = /\/setup#(\S+)/.exec(bed.server.output())![1]!;
        const answer = await bed.api('POST', '/api/setup', {
          body: { token: link, email: 'first@example.org', password: 'a password for tests' },
        });
        if (answer.status !== 200) throw new Error(answer.text);
        await page.getByRole('button', { name: 'I have opened the link' }).click();
        await page.getByRole('button', { name: 'Sign in' }).waitFor();
      });
    });
  },
  { TRACKWAY_ADMIN_EMAIL: '', TRACKWAY_ADMIN_PASSWORD: '' },
);
