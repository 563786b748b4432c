import { ERRORS } from '@trackway/contract/errors.ts';
import type { mqttCredentialOperations } from '@trackway/contract/resources/accounts/mqtt-credentials.ts';
import type { Kysely } from 'kysely';
import type { Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { randomSecret } from '../../platform/secrets.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { issueToken } from '../users/tokens.ts';

export interface BrokerSettings {
  /** Why there is no broker; null if there is one. */
  readonly missing: string | null;
  /** Where programs reach it. */
  readonly url: string;
}

/** They end earlier with the token they were made with. */
const TTL_S = 90 * 86_400;
const MOST = 10;

export const brokerNameOf = (userId: number) => `user-${userId}`;

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
async function beginListening(tx: Kysely<Tables>, userId: number, until: number): Promise<void> {
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

async function endOldest(tx: Kysely<Tables>, userId: number): Promise<void> {
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
