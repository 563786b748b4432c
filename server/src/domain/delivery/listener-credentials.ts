import { ERRORS } from '@trackway/contract/errors.ts';
import type { mqttCredentialOperations } from '@trackway/contract/resources/accounts/mqtt-credentials.ts';
import type { BrokerGate, Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import type { Store, Tx } from '../schema/tables.ts';
import type { LastUses } from '../users/last-uses.ts';
import { DEFAULT_LIFE, idleLife, issueToken, livingCredentials, type SessionLife } from '../users/tokens.ts';

interface BrokerSettings {
  /** Why there is no broker; null if there is one. */
  readonly missing: string | null;
  /** Where programs reach it. */
  readonly url: string;
}

/** They end earlier with the token they were made with. */
const TTL_S = 90 * 86_400;
const MOST = 10;

const brokerNameOf = (userId: number) => `user-${userId}`;

/** Credentials for programs that listen at the operator's broker. */
export function mqttCredentials(
  store: Store,
  broker: () => BrokerSettings,
): Handlers<keyof typeof mqttCredentialOperations> {
  return {
    async getMqttCredentials(call) {
      const { userId, now } = call;
      const { missing, url } = broker();
      const { status, code } = ERRORS.mqttNotConfigured;
      if (missing !== null) throw new Refusal(status, missing, { code });
      const clientId = `trackway-${userId}-${randomSecret(8)}`;
      const token = await store.transaction(async (tx) => {
        await beginListening(tx, userId, now + TTL_S * 1000);
        const parentId = call.caller.tokenId;
        const issued = await issueToken(
          tx,
          { userId, kind: 'mqtt', ttl: TTL_S, parentId, description: clientId, scope: { access: 'read' } },
          now,
        );
        await endOldest(tx, userId);
        const detail = { id: issued.id, description: 'MQTT', expiresAt: new Date(issued.expiresAt).toISOString() };
        await recordAudit(tx, { action: 'token.created', ...byCaller(call), userId, detail }, now);
        return issued.token;
      });
      return { clientId, username: brokerNameOf(userId), password: token, url };
    },
  };
}

/** The next evaluation of a device of the user reads this again. It is also the lock of the user's credentials. */
async function beginListening(tx: Tx, userId: number, until: number): Promise<void> {
  await tx
    .insertInto('geofenceRevisions')
    .values({ userId, revision: 1, mqttUntil: until })
    .onConflict((on) =>
      on
        .column('userId')
        .doUpdateSet((of) => ({ revision: of('geofenceRevisions.revision', '+', 1), mqttUntil: until })),
    )
    .execute();
}

async function endOldest(tx: Tx, userId: number): Promise<void> {
  const own = tx.selectFrom('tokens').select('id').where('userId', '=', userId).where('kind', '=', 'mqtt');
  const [first] = await own.orderBy('id', 'desc').limit(1).offset(MOST).execute();
  if (first === undefined) return;
  await tx
    .deleteFrom('tokens')
    .where('userId', '=', userId)
    .where('kind', '=', 'mqtt')
    .where('id', '<=', first.id)
    .execute();
}

/** Decides for the operator's broker who may connect, and who may subscribe to what. */
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

/** The account of the server itself, which publishes; a broker that checks all clients checks it too. */
function ownAccount(url: string): { username: string; password: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { username, password } = new URL(url);
  if (username === '' || password === '' || userIdOf(username) !== undefined) return undefined;
  return { username: decodeURIComponent(username), password: fingerprint(decodeURIComponent(password)) };
}
