import assert from 'node:assert/strict';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { codeOf } from '../harness/authenticator-app.ts';
import { makePerson, type Person } from '../harness/people.ts';
import { ADMIN } from '../harness/server-process.ts';
import { assertFits, inBrowser } from './harness.ts';
import { settled } from './settled.ts';

/** What the browser says of an answer that refuses. */
const allows = [/status of 401/, /status of 422/];

const fillSignIn = async (page: Page, person: Pick<Person, 'email' | 'password'>) => {
  await page.getByLabel(/e-mail/i).fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

const signOut = async (page: Page) => {
  await page.getByRole('button', { name: /^(Account:|More$)/ }).click();
  await page.getByText('Sign out', { exact: true }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
};

/** Reads the recovery codes and says that they are saved. */
const saveCodes = async (page: Page): Promise<string[]> => {
  await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts();
  await assertFits(page);
  await page.getByLabel('I have saved these codes').check();
  await page.getByRole('button', { name: 'Done' }).click();
  return codes;
};

const setUpApp = async (page: Page): Promise<string> => {
  await page.getByRole('button', { name: 'Set up', exact: true }).click();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  const secret = (await page.getByRole('dialog').locator('code').first().innerText()).trim();
  await page.getByLabel('Code from the app').fill('000000');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('is not correct').waitFor();
  await page.getByLabel('Code from the app').fill(codeOf(secret));
  await page.getByRole('button', { name: 'Turn on' }).click();
  return secret;
};

inBrowser('Sign-in security', (bed) => {
  test('an authenticator app is set up, asked for, replaced by a recovery code, and removed', async () => {
    const person = await makePerson(bed.api, bed.admin, 'careful');
    await bed.visit('/settings', { as: person, size: 'phone', allows }, async (page) => {
      const secret = await setUpApp(page);
      const codes = await saveCodes(page);
      assert.equal(codes.length, 10);
      await page.getByText('10 codes left').waitFor();
      await settled(page);
      await assertFits(page);

      await signOut(page);
      await fillSignIn(page, person);
      await page.getByRole('heading', { name: 'Second step' }).waitFor();
      await assertFits(page);
      await page.getByLabel('Code', { exact: true }).fill('123456');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('This code is wrong').waitFor();
      await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('navigation', { name: 'Main' }).waitFor();

      await signOut(page);
      await fillSignIn(page, person);
      await page.getByLabel('Code', { exact: true }).fill(codes[0]!);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('navigation', { name: 'Main' }).waitFor();

      await page.evaluate(() => history.pushState(null, '', '/settings'));
      await page.getByText('9 codes left').waitFor();
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByLabel('Code from the app, or a recovery code').fill(codes[1]!);
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Set up', exact: true }).waitFor();
    });
  });

  test('a passkey is added, signs in alone and as the second step, is renamed and deleted', async () => {
    const person = await makePerson(bed.api, bed.admin, 'modern');
    await bed.visit('/settings', { as: person, byName: true, allows }, async (page) => {
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('WebAuthn.enable');
      await cdp.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await page.getByRole('button', { name: 'Add passkey' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Test phone');
      await page.getByRole('button', { name: 'Continue' }).click();
      await saveCodes(page);
      await page.getByText('Test phone').waitFor();

      await page.getByRole('button', { name: 'Add passkey' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('This device already has a passkey').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();

      await signOut(page);
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByRole('navigation', { name: 'Main' }).waitFor();

      await signOut(page);
      await fillSignIn(page, person);
      await page.getByRole('heading', { name: 'Second step' }).waitFor();
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByRole('navigation', { name: 'Main' }).waitFor();

      await page.evaluate(() => history.pushState(null, '', '/settings'));
      await page.getByRole('button', { name: 'Rename Test phone' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Work laptop');
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('button', { name: 'Delete Work laptop' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete Work laptop' }).waitFor({ state: 'detached' });
      await signOut(page);
      await fillSignIn(page, person);
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
    });
  });
});

inBrowser(
  'A second factor that is demanded of admins',
  (bed) => {
    test('an admin is led to set one up, and then goes on as an admin', async () => {
      await bed.visit('/users', { size: 'phone', allows }, async (page) => {
        await fillSignIn(page, ADMIN);
        await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
        await settled(page);
        await assertFits(page);
        await setUpApp(page);
        await saveCodes(page);
        await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
        await page.getByRole('cell', { name: ADMIN.email }).first().waitFor();
      });
    });
  },
  { TRACKWAY_ADMIN_SECOND_FACTOR: 'true' },
);
