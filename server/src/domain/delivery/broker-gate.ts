import type { BrokerGate } from '../../calls.ts';
import { fingerprint } from '../../platform/secrets.ts';
import type { Store } from '../schema/tables.ts';
import type { LastUses } from '../users/last-uses.ts';
import { DEFAULT_LIFE, idleLife, livingCredentials, type SessionLife } from '../users/tokens.ts';

/** What the operator's broker asks: who may connect, and who may subscribe to what. */
export function brokerGate(
  store: Store,
  ownUrl: string,
  { life = DEFAULT_LIFE, uses }: { readonly life?: SessionLife; readonly uses?: LastUses } = {},
): BrokerGate {
  const own = ownAccount(ownUrl);
  /** The credentials of a user that are valid for listening now. */
  const credentialsOf = async (userId: number, now: number) => {
    const rows = await livingCredentials(store.query, now)
      .select(['t.hash', 't.description as clientId', 'p.id', 'p.kind', 'p.created', 'p.lastUsed'])
      .where('t.userId', '=', userId)
      .execute();
    return rows.filter(({ id, kind, created, lastUsed }) => {
      const usedAt = Math.max(created, lastUsed ?? 0, uses?.of(id)?.at ?? 0);
      return usedAt + idleLife(kind, life) > now;
    });
  };

  return {
    async mayConnect({ username, password, clientId }, now) {
      if (own !== undefined && username === own.username) return fingerprint(password) === own.password;
      const userId = userIdOf(username);
      if (userId === undefined) return false;
      const hash = fingerprint(password);
      const credentials = (await credentialsOf(userId, now)).find((one) => one.hash === hash);
      // Two clients with the same id disconnect each other, so an id that was issued for other credentials is refused.
      return credentials !== undefined && (!isIssued(clientId) || clientId === credentials.clientId);
    },

    async mayUse({ username, clientId, topic, isSubscribing }, now) {
      if (own !== undefined && username === own.username) return true;
      const userId = userIdOf(username);
      if (userId === undefined || !isSubscribing || !topic.startsWith(`users/${userId}/`)) return false;
      const living = await credentialsOf(userId, now);
      return living.some((one) => !isIssued(clientId) || clientId === one.clientId);
    },
  };
}

/** A client id that was made with credentials; programs may choose others. */
const isIssued = (clientId: string) => /^trackway-\d+-/.test(clientId);

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
