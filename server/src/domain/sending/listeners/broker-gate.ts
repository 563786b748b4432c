import type { BrokerGate } from '../../../calls.ts';
import { fingerprint } from '../../../platform/secrets.ts';
import type { Store } from '../../schema/tables.ts';

/** What the operator's broker asks: who may connect, and who may subscribe to what. */
export function brokerGate(store: Store, ownUrl: string): BrokerGate {
  const own = ownAccount(ownUrl);
  const byHash = store.prepare<{ userId: number }>(
    'mqtt.authenticate',
    `SELECT "userId" FROM "tokens" WHERE "hash" = ? AND "kind" = 'mqtt' AND "expiresAt" > ?`,
  );
  const living = store.prepare<{ id: number }>(
    'mqtt.living',
    `SELECT "id" FROM "tokens" WHERE "userId" = ? AND "kind" = 'mqtt' AND "expiresAt" > ? LIMIT 1`,
  );

  return {
    async mayConnect({ username, password, clientId }, now) {
      if (own !== undefined && username === own.username) return fingerprint(password) === own.password;
      const userId = userIdOf(username);
      // Two clients of one id throw each other out, so nobody takes that of another user.
      const [, idOfClient] = /^trackway-(\d+)-/.exec(clientId) ?? [];
      if (userId === undefined || (idOfClient !== undefined && Number(idOfClient) !== userId)) return false;
      return (await byHash.get(fingerprint(password), now))?.userId === userId;
    },

    async mayUse({ username, topic, isSubscribing }, now) {
      if (own !== undefined && username === own.username) return true;
      const userId = userIdOf(username);
      if (userId === undefined || !isSubscribing || !topic.startsWith(`users/${userId}/`)) return false;
      return (await living.get(userId, now)) !== undefined;
    },
  };
}

function userIdOf(username: string): number | undefined {
  const digits = /^user-([1-9]\d{0,15})$/.exec(username)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The account of the server itself, which publishes; a broker that asks about everyone asks about it too. */
function ownAccount(url: string): { username: string; password: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { username, password } = new URL(url);
  if (username === '' || password === '' || userIdOf(username) !== undefined) return undefined;
  return { username: decodeURIComponent(username), password: fingerprint(decodeURIComponent(password)) };
}
