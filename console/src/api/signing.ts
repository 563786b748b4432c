import { createClient } from '@trackway/client/client.ts';
import {
  type BrowserSignIn,
  SESSION_ROUTES,
  type TabToken,
} from '@trackway/contract/resources/accounts/browser-session.ts';
import { client, queryClient } from './client.ts';
import { askSession, beginSession, endSessionEverywhere } from './session.ts';

/** Signs this browser in. `username` is an e-mail address or a username: the server looks for both. */
export async function signIn(credentials: BrowserSignIn): Promise<void> {
  const tab = await askSession<TabToken>(SESSION_ROUTES.begin, credentials);
  queryClient.clear();
  beginSession(tab!);
}

/** Creates the first admin, who is then signed in. */
export async function setUp(token: string, email: string, password: string): Promise<void> {
  const made = await client.setUp({ body: { token, email, password } });
  await begin(email, password, made.id);
}

/** Creates the account of an invited person, who is then signed in. */
export async function acceptInvitation(token: string, password: string, name: string): Promise<void> {
  const made = await client.acceptInvitation({ body: { token, password, name: name || null } });
  const { email } = await createClient({ url: '', token: made.id }).getUser({ id: 'me' });
  await begin(email, password, made.id);
}

/** Signs in to a new account, and sets its time zone to that of this browser. */
async function begin(email: string, password: string, token: string): Promise<void> {
  await signIn({ username: email, password });
  // If this fails, the settings page asks for it.
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  await client.updateUser({ id: 'me', body: { timeZone } }).catch(() => undefined);
  await discard(token);
}

/** The browser has its own session, so the token of the new account is not needed. */
async function discard(token: string): Promise<void> {
  await createClient({ url: '', token })
    .logout()
    .catch(() => undefined);
}

export async function signOut(): Promise<void> {
  // Signing out here must not depend on the server's response.
  await askSession(SESSION_ROUTES.end).catch(() => undefined);
  endSessionEverywhere();
  queryClient.clear();
}
