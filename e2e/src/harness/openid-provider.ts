import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** A provider of OpenID Connect on this machine: the real counterpart, with its own pages to sign in. */
export interface TestProvider {
  readonly issuer: string;
  /** Lets a service sign people in; until then it knows none. */
  register(redirectUri: string): void;
  /** What it says of the person with this name, besides the subject. */
  readonly people: Map<string, Record<string, unknown>>;
  close(): Promise<void>;
}

export const CLIENT = { client_id: 'trackway', client_secret: 'a secret of the provider' };

export async function startProvider(): Promise<TestProvider> {
  let answer: RequestListener | undefined;
  const server = createServer((request, response) => {
    if (answer) answer(request, response);
    else response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people: TestProvider['people'] = new Map();
  return {
    issuer,
    people,
    register(redirectUri) {
      const provider = new Provider(issuer, {
        clients: [{ ...CLIENT, redirect_uris: [redirectUri] }],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        pkce: { required: () => true },
        features: { devInteractions: { enabled: true } },
        cookies: { keys: ['of the tests'] },
        async findAccount(_context, sub) {
          return { accountId: sub, claims: async () => ({ sub, ...people.get(sub) }) };
        },
      });
      answer = provider.callback();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
