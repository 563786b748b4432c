import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { codeOf } from '../harness/authenticator-app.ts';
import { askSession } from '../harness/browser-session.ts';
import { CLIENT, startProvider, type TestProvider } from '../harness/openid-provider.ts';
import { logIn, makePerson } from '../harness/people.ts';
import { assertFits, inBrowser } from './harness.ts';
import { settled } from './settled.ts';

const provider: TestProvider = await startProvider();
after(() => provider.close());

const SETTINGS = {
  TRACKWAY_OPENID_ISSUER: provider.issuer,
  TRACKWAY_OPENID_CLIENT_ID: CLIENT.client_id,
  TRACKWAY_OPENID_CLIENT_SECRET: CLIENT.client_secret,
  TRACKWAY_OPENID_BUTTON: 'Sign in with Example',
  TRACKWAY_OPENID_DOMAINS: 'example.org',
  TRACKWAY_OPENID_CREATE_USERS: 'true',
  TRACKWAY_OPENID_PASSWORDS: 'false',
};

/** The pages of the provider itself: a name, any password, and consent. */
const signInThere = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Sign in with Example' }).click();
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('anything');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
};

inBrowser(
  'Sign-in by OpenID Connect',
  (bed) => {
    before(() => provider.register(`${bed.server.address}/session/openid/callback`));
    // The pages of the provider load a font from elsewhere, which nobody may here.
    const there = {
      alsoAsks: provider.issuer,
      allows: [/fonts\.googleapis/, /ERR_NAME_NOT_RESOLVED/, /status of 40\d/],
    };

    test('somebody new gets an account, comes back to the address they wanted, and stays that user', async () => {
      provider.people.set('new', { email: 'New@example.org', email_verified: true, name: 'Nora New' });
      await bed.visit('/devices', { ...there, size: 'phone' }, async (page) => {
        await settled(page);
        await assertFits(page);
        await signInThere(page, 'new');
        await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
        await page.reload();
        await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
      });
      const found = await bed.admin.get(`/users?filter=${JSON.stringify({ where: { email: 'new@example.org' } })}`);
      assert.equal(found.body[0].name, 'Nora New');
      // The address changes at the provider, the person does not.
      provider.people.set('new', { email: 'married@example.org', email_verified: true });
      await bed.visit('/settings', there, async (page) => {
        await signInThere(page, 'new');
        await page.getByLabel('Full name').waitFor();
        assert.equal(await page.getByLabel('Full name').inputValue(), 'Nora New');
      });
      assert.equal(
        (await bed.admin.get('/users')).body.filter(({ name }: { name: string }) => name === 'Nora New').length,
        1,
      );
    });

    test('an account is linked by its address, and its password is not used any more where the setting says so', async () => {
      const person = await makePerson(bed.api, bed.admin, 'linked', { name: 'Lena Linked' });
      provider.people.set('lena', { email: person.email, email_verified: true });
      await bed.visit('/settings', there, async (page) => {
        await signInThere(page, 'lena');
        await page.getByLabel('Full name').waitFor();
        assert.equal(await page.getByLabel('Full name').inputValue(), 'Lena Linked');
      });
      const login = await bed.api('POST', '/api/users/login', {
        body: { email: person.email, password: person.password },
      });
      assert.equal(login.body.error.code, 'PASSWORD_NOT_USED');
      assert.equal((await bed.api('GET', '/api/users/me', { token: person.token })).status, 200);
    });

    test('an address that is not verified, or of another domain, is refused in plain words', async () => {
      provider.people.set('unverified', { email: 'admin@example.org', email_verified: false });
      provider.people.set('foreign', { email: 'somebody@elsewhere.example', email_verified: true });
      for (const [name, said] of [
        ['unverified', 'has not verified your e-mail address'],
        ['foreign', 'may not sign in here'],
      ] as const)
        await bed.visit('/sign-in', there, async (page) => {
          await signInThere(page, name);
          await page.getByText(said).waitFor();
        });
      assert.ok(await logIn(bed.api, bed.admin.email, bed.admin.password), 'nobody was linked to the admin');
    });

    test('a second factor is asked for here, too', async () => {
      const person = await makePerson(bed.api, bed.admin, 'factor', { name: 'Fay Factor' });
      const post = (path: string, body: object) =>
        bed.api('POST', `/api/users/second-factor/${path}`, { token: person.token, body });
      const { secret } = (await post('authenticator', {})).body;
      await post('authenticator/confirm', { code: codeOf(secret) });
      provider.people.set('fay', { email: person.email, email_verified: true });
      await bed.visit('/settings', there, async (page) => {
        await signInThere(page, 'fay');
        await page.getByRole('heading', { name: 'Second step' }).waitFor();
        assert.equal(
          (await page.context().cookies(`${bed.server.address}/session`)).some(
            ({ name }) => name === 'trackway_session',
          ),
          false,
        );
        await page.getByLabel('Code', { exact: true }).fill('000000');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByText('This code is wrong').waitFor();
        await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByLabel('Full name').waitFor();
        assert.equal(await page.getByLabel('Full name').inputValue(), 'Fay Factor');
      });
    });

    test('a callback that this browser did not begin signs nobody in', async () => {
      const { address } = bed.server;
      for (const query of ['', '?code=x&state=y', '?error=access_denied', '?error=server_error'])
        for (const cookie of [
          '',
          'trackway_openid=sealed:00000000:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
          'trackway_openid={}',
        ]) {
          const answer = await fetch(`${address}/session/openid/callback${query}`, {
            headers: { cookie },
            redirect: 'manual',
          });
          assert.equal(answer.status, 303);
          assert.match(answer.headers.get('location')!, /^\/sign-in\?problem=expired/);
          assert.doesNotMatch(answer.headers.get('set-cookie') ?? '', /trackway_session=\w/);
        }
      // A flow that was begun here, but the answer of another one.
      const begun = await fetch(`${address}/session/openid?next=/`, { redirect: 'manual' });
      const cookie = begun.headers.get('set-cookie')!.split(';')[0]!;
      assert.match(begun.headers.get('set-cookie')!, /Path=\/session\/openid; HttpOnly; SameSite=Lax/);
      assert.match(begun.headers.get('location')!, /code_challenge_method=S256/);
      const forged = await fetch(`${address}/session/openid/callback?code=x&state=other`, {
        headers: { cookie },
        redirect: 'manual',
      });
      assert.match(forged.headers.get('location')!, /problem=failed/);
      const ticket = await askSession(
        address,
        '/session',
        { openid: true, code: '123456' },
        { cookie: 'trackway_ticket=sealed:00000000:AAAA' },
      );
      assert.equal(ticket.status, 401);
    });
  },
  SETTINGS,
);
