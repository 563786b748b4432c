import assert from 'node:assert/strict';
import { eventually } from '../../../server/src/testing/eventually.ts';
import type { Api } from './api.ts';
import { ADMIN } from './server-process.ts';

/** The people of the tests, made through the front door like everything else. */

export interface Person {
  readonly id: number;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

/** Long enough for the contract, and the same for everyone: no test is about a person's password. */
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

/** A new user, signed in. */
export async function makePerson(api: Api, admin: Person, name: string, more: object = {}): Promise<Person> {
  made += 1;
  const email = `${name}.${made}@example.org`;
  const created = await api('POST', '/api/users', { token: admin.token, body: { email, password: PASSWORD, ...more } });
  assert.equal(created.status, 200, created.text);
  return { id: created.body.id, email, password: PASSWORD, token: await logIn(api, email) };
}

/** A token that was good once: asked for with the shortest life, and asked about until the server says it ended. */
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

/** A token that its bearer gave back. */
export async function revokedTokenOf(api: Api, person: Person): Promise<string> {
  const token = await logIn(api, person.email, person.password);
  const { status } = await api('POST', '/api/users/logout', { token });
  assert.equal(status, 204);
  return token;
}
