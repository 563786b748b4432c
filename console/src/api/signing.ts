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

/** Makes the first admin, who is signed in by it. */
export async function setUp(token: string, email: string, password: string): Promise<void> {
  const made = await client.setUp({ body: { token, email, password } });
  await signIn({ username: email, password });
  await discard(made.id);
}

/** Makes the account of an invited person, who is signed in by it. */
export async function acceptInvitation(token: string, password: string, name: string): Promise<void> {
  const made = await client.acceptInvitation({ body: { token, password, name: name || null } });
  const { email } = await createClient({ url: '', token: made.id }).getUser({ id: 'me' });
  await signIn({ username: email, password });
  await discard(made.id);
}

/** The browser has a session of its own, so nobody needs the token that came with a new account. */
async function discard(token: string): Promise<void> {
  await createClient({ url: '', token })
    .logout()
    .catch(() => undefined);
}

export async function signOut(): Promise<void> {
  // A server that does not answer must not keep anyone signed in here.
  await askSession(SESSION_ROUTES.end).catch(() => undefined);
  endSessionEverywhere();
  queryClient.clear();
}
