import type { OperationName } from '@trackway/contract/operations.ts';
import { codeOf } from '../harness/authenticator-app.ts';
import { makePerson, PASSWORD } from '../harness/people.ts';
import { SoftPasskey } from '../harness/soft-passkey.ts';
import type { Caller } from './expectations.ts';
import type { World } from './world.ts';

/** Operations that change how a user signs in. Each call gets an account of its own, which no other call needs. */
const NAMES = [
  'beginAuthenticator',
  'confirmAuthenticator',
  'confirmSignIn',
  'removeAuthenticator',
  'createRecoveryCodes',
  'resetSecondFactor',
  'beginPasskey',
  'createPasskey',
  'updatePasskey',
  'deletePasskey',
  'createServiceAccount',
  'listServiceTokens',
  'createServiceToken',
  'deleteServiceToken',
] as const;
type Name = (typeof NAMES)[number];

export const isAboutSigningIn = (name: OperationName): name is Name => (NAMES as readonly string[]).includes(name);

const ORIGIN = 'http://localhost:1';

export async function signingInRequest(world: World, name: Name, caller: Caller) {
  const { api, people } = world;
  const { token, id } = await makePerson(api, people.admin, 'signs', { admin: caller === 'admin' });
  const post = async (path: string, body: object) =>
    (await api('POST', `/api${path}`, { token, body, headers: { origin: ORIGIN } })).body;
  const request = (path: string, body?: object, parent?: number) => ({
    path,
    token,
    body,
    parent,
    child: undefined,
    headers: { origin: ORIGIN },
  });
  const factor = '/users/second-factor';
  const passkeyBody = async () => {
    const options = await post('/users/passkeys/options', {});
    return { name: 'Phone', response: new SoftPasskey().create(options, ORIGIN) };
  };
  switch (name) {
    case 'beginAuthenticator':
      return request(`${factor}/authenticator`, {});
    case 'confirmAuthenticator': {
      const { secret } = await post(`${factor}/authenticator`, {});
      return request(`${factor}/authenticator/confirm`, { code: codeOf(secret) });
    }
    case 'confirmSignIn':
      return request('/users/confirm-sign-in', { password: PASSWORD });
    case 'removeAuthenticator':
      return request(`${factor}/authenticator/remove`, { password: PASSWORD });
    case 'createRecoveryCodes': {
      const { secret } = await post(`${factor}/authenticator`, {});
      await post(`${factor}/authenticator/confirm`, { code: codeOf(secret) });
      return request(`${factor}/recovery-codes`, { code: codeOf(secret, 1) });
    }
    case 'resetSecondFactor':
      return { ...request(`/users/${id}/second-factor`, undefined, id), token: people.admin.token };
    case 'createServiceAccount':
      return request('/serviceAccounts', { name: 'Script' });
    case 'listServiceTokens':
    case 'createServiceToken':
    case 'deleteServiceToken': {
      const account = await post('/serviceAccounts', { name: 'Script' });
      const path = `/serviceAccounts/${account.id}/tokens`;
      if (name === 'listServiceTokens') return request(path, undefined, account.id);
      if (name === 'createServiceToken') return request(path, { description: 'Script' }, account.id);
      const made = await post(path, { description: 'Script' });
      return request(`/serviceTokens/${made.id}`, undefined, made.id);
    }
    case 'beginPasskey':
      return request('/users/passkeys/options', {});
    case 'createPasskey':
      return request('/users/passkeys', await passkeyBody());
    default: {
      const made = await post('/users/passkeys', await passkeyBody());
      return request(`/users/passkeys/${made.id}`, { name: 'Renamed' }, made.id);
    }
  }
}
