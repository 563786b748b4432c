import { client, queryClient } from './client.ts';
import { beginSession, endSession } from './session.ts';

const HOUR_S = 3600;
const SHORT_S = 12 * HOUR_S;
const LONG_S = 14 * 24 * HOUR_S;

/** `name` is an e-mail address or a username. */
export async function signIn(name: string, password: string, staysSignedIn: boolean): Promise<void> {
  const ttl = staysSignedIn ? LONG_S : SHORT_S;
  // With `username` the server looks for both.
  const token = await client.login({ body: { username: name, password, ttl } });
  begin(token, staysSignedIn);
}

/** Makes the first admin, who is signed in by it. */
export async function setUp(token: string, email: string, password: string): Promise<void> {
  begin(await client.setUp({ body: { token, email, password } }), false);
}

/** Makes the account of an invited person, who is signed in by it. */
export async function acceptInvitation(token: string, password: string, name: string): Promise<void> {
  begin(await client.acceptInvitation({ body: { token, password, name: name || null } }), false);
}

export async function signOut(): Promise<void> {
  // A server that does not answer must not keep anyone signed in here.
  await client.logout().catch(() => undefined);
  endSession();
  queryClient.clear();
}

function begin(token: { id: string; userId: number; ttl: number }, staysSignedIn: boolean): void {
  queryClient.clear();
  beginSession({ token: token.id, userId: token.userId, expiresAt: Date.now() + token.ttl * 1000 }, staysSignedIn);
}
