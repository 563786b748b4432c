import type { serviceAccountOperations as contract } from '@trackway/contract/resources/accounts/service-account.ts';
import { user as userNoun } from '@trackway/contract/resources/accounts/user.ts';
import type { Handlers } from '../../calls.ts';
import { randomSecret } from '../../platform/secrets.ts';
import { isoTime } from '../../platform/times.ts';
import { modelNotFound } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { findRow } from '../rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store } from '../schema/tables.ts';
import { serviceAddress } from './account-letters.ts';
import { requireFreshly, requireFreshSignIn } from './passwords.ts';
import { type PersonalTokenParts, scopeOf, shownLimits, ttlOf } from './personal-tokens.ts';
import { issueToken, scopeIn } from './tokens.ts';

const MOST_TOKENS = 1000;

/** Accounts for programs: tokens made by an admin, and no other way to act as one. */
export function serviceAccountOperations(
  store: Store,
  { ownPassword, uses }: PersonalTokenParts,
): Handlers<keyof typeof contract> {
  const users = collectionOf(store, 'users', userNoun);

  async function requireService(id: number): Promise<void> {
    const found = await findRow(store.query, 'users', { id, kind: 'service' }, ['id']);
    if (found === undefined) throw modelNotFound('serviceAccount', id);
  }

  return {
    async createServiceAccount(call) {
      const { now } = call;
      requireFreshly(call);
      const { name, admin } = call.body as { name: string; admin: boolean };
      const email = serviceAddress(name, randomSecret(6).toLowerCase());
      return store.transaction(async (tx) => {
        const row = await users.insert({ name, email, admin, created: now, emailConfirmedAt: now }, tx, {
          passwordHash: '',
          kind: 'service',
        });
        const userId = row.id as number;
        await recordAudit(
          tx,
          { action: 'serviceAccount.created', ...byCaller(call), userId, detail: { name, admin } },
          now,
        );
        return { ...users.present(row), kind: 'service' as const };
      });
    },

    async listServiceTokens({ key }) {
      await requireService(key);
      const rows = await store.query
        .selectFrom('tokens')
        .selectAll()
        .where('userId', '=', key)
        .where('kind', '=', 'personal')
        .orderBy('id')
        .limit(MOST_TOKENS)
        .execute();
      return rows.map((row) => {
        const use = uses?.of(row.id) ?? { at: row.lastUsed, address: row.lastAddress };
        return {
          id: row.id,
          description: row.description,
          created: isoTime(row.created),
          expiresAt: isoTime(row.expiresAt),
          ttl: row.ttl,
          ...shownLimits(scopeIn(row)),
          lastUsed: use.at === null ? null : isoTime(use.at),
          lastAddress: use.address,
        };
      });
    },

    async createServiceToken(call) {
      const { key: userId, now } = call;
      await requireService(userId);
      await requireFreshSignIn(call, call.body, ownPassword);
      const scope = scopeOf(call.body);
      const ttl = ttlOf(call);
      const description = call.body.description ?? null;
      return store.transaction(async (tx) => {
        const issued = await issueToken(
          tx,
          { userId, kind: 'personal', ttl, description, ...(scope && { scope }) },
          now,
        );
        const { id, token, created, expiresAt } = issued;
        await recordAudit(
          tx,
          { action: 'serviceToken.created', ...byCaller(call), userId, detail: { id, description } },
          now,
        );
        return {
          id,
          description,
          created: isoTime(created),
          expiresAt: isoTime(expiresAt),
          ttl,
          ...shownLimits(scope),
          token,
        };
      });
    },

    async deleteServiceToken(call) {
      await store.transaction(async (tx) => {
        const gone = await tx
          .deleteFrom('tokens')
          .where('id', '=', call.key)
          .where('kind', '=', 'personal')
          .where('userId', 'in', tx.selectFrom('users').select('id').where('kind', '=', 'service'))
          .returning(['userId', 'description'])
          .executeTakeFirst();
        if (gone === undefined) throw modelNotFound('serviceToken', call.key);
        const { userId, description } = gone;
        const detail = { id: call.key, description };
        await recordAudit(tx, { action: 'serviceToken.revoked', ...byCaller(call), userId, detail }, call.now);
      });
    },
  };
}
