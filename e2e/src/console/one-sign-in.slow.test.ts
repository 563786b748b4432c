import assert from 'node:assert/strict';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { makePerson } from '../harness/people.ts';
import { inBrowser } from './harness.ts';
import { goOn, settled } from './settled.ts';
import { until } from './until.ts';

const signIn = async (page: Page, person: { email: string; password: string }) => {
  await page.getByLabel(/e-mail/i).fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

/** Everything that a script of the page could read of the sign-in. */
const readable = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));

inBrowser('One sign-in per browser', (bed) => {
  test('a second tab is signed in, and signing out ends both', async () => {
    await bed.visit('/devices', {}, async (page) => {
      await signIn(page, bed.admin);
      await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
      const second = await page.context().newPage();
      await second.goto(new URL('/settings', page.url()).href);
      await second.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      assert.doesNotMatch(await readable(page), /session|token|[A-Za-z0-9]{40}/);

      await second.getByRole('button', { name: /^Account/ }).click();
      await second.getByRole('menuitem', { name: /Sign out/ }).click();
      await second.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();

      await signIn(second, bed.admin);
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      await second.close();
    });
  });

  test('another user in one tab is that user in all of them', async () => {
    const [first, other] = [
      await makePerson(bed.api, bed.admin, 'first', { name: 'First Person' }),
      await makePerson(bed.api, bed.admin, 'other', { name: 'Other Person' }),
    ];
    await bed.visit('/settings', { as: first }, async (page) => {
      await page.getByLabel('Full name').waitFor();
      assert.equal(await page.getByLabel('Full name').inputValue(), 'First Person');
      const body = JSON.stringify({ username: other.email, password: other.password });
      const second = await page.context().newPage();
      await second.goto(new URL('/pages/icon.svg', page.url()).href);
      await second.evaluate(async (sent) => {
        await fetch('/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: sent });
        new BroadcastChannel('trackway.session').postMessage('began');
      }, body);
      await until(
        async () =>
          (await page
            .getByLabel('Full name')
            .inputValue({ timeout: 1000 })
            .catch(() => '')) === 'Other Person',
        'the first tab shows the other user',
      );
      await second.close();
    });
  });
});

inBrowser(
  'A tab whose token lasts five seconds',
  (bed) => {
    test('goes on when its token is renewed: pages load, and the live stream is not interrupted', async () => {
      let streams = 0;
      const tokens = new Set<string>();
      await bed.visit('/settings', { as: bed.admin }, async (page) => {
        await settled(page);
        page.on('request', (request) => {
          if (request.url().includes('/api/live')) streams++;
          else if (request.url().includes('/api/')) tokens.add(request.headers().authorization ?? '');
        });
        // This page asks again and again by itself.
        await goOn(page, '/health');
        await until(() => tokens.size > 2, 'three tokens were used');
        assert.equal(streams, 0, 'the stream that was opened with the first token goes on');
        await page.getByRole('heading', { level: 1 }).waitFor();
      });
    });
  },
  { TRACKWAY_TAB_TOKEN: '5' },
);
