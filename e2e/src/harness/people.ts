import assert from 'node:assert/strict';
import { eventually } from '../../../server/src/testing/eventually.ts';
import type { Api } from './api.ts';
import { ADMIN } from './server-process.ts';

/** The users of the tests, created through the API like everything else. */

export interface Person {
  readonly id: number;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

/** Long enough for the contract, and the same for everyone: no test is about a user's password. */
export const PASSWORD = 'a password for tests';

export async function logIn(api: Api, email: string, password = PASSWORD, more: object = {}): Promise<string> {
  const { status, body, text } = await api('POST', '/api/users/login', { body: { email, password, ...more } });
  assert.equal(status, 200, text);
  return body.id;
}

export async function adminOf(api: Api): Promise<Person> {
  const token = await logIn(api, ADMIN.email, ADMIN.password);
  const { body } = await api('GET', '/api/users/me', { token });
  return { id: body.id, ...ADMIN, token };
}

let made = 0;

/** A new user, logged in. */
export async function makePerson(api: Api, admin: Person, name: string, more: object = {}): Promise<Person> {
  made += 1;
  const email = `${name}.${made}@example.org`;
  const create = () => api('POST', '/api/users', { token: admin.token, body: { email, password: PASSWORD, ...more } });
  let created = await create();
  // On a slow machine the admin may have signed in long ago.
  if (created.status === 403 && created.body.error.code === 'FRESH_SIGN_IN_REQUIRED') {
    const proof = { password: admin.password };
    await api('POST', '/api/users/confirm-sign-in', { token: admin.token, body: proof });
    created = await create();
  }
  assert.equal(created.status, 200, created.text);
  return { id: created.body.id, email, password: PASSWORD, token: await logIn(api, email) };
}

/** An expired token: requested with the shortest lifetime, then polled until the server reports it as expired. */
export async function expiredTokenOf(api: Api, person: Person): Promise<string> {
  const token = await logIn(api, person.email, person.password, { ttl: 1 });
  const seen = await eventually(
    'a token of one second expires',
    () => api('GET', '/api/users/me', { token }),
    ({ status }) => status !== 200,
  );
  assert.equal(seen.body.error.code, 'INVALID_TOKEN');
  return token;
}

/** A token that its owner revoked. */
export async function revokedTokenOf(api: Api, person: Person): Promise<string> {
  const token = await logIn(api, person.email, person.password);
  const { status } = await api('POST', '/api/users/logout', { token });
  assert.equal(status, 204);
  return token;
}
