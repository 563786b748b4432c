import type { Credentials, userOperations } from '@trackway/contract/resources/user.ts';
import type { Call, Handlers } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { childNotFound, invalidField, loginFailed, usernameOrEmailRequired } from '../../refusals.ts';
import type { Store } from '../schema/tables.ts';
import { userOfCredentials } from './check-password.ts';
import { type IssuedToken, issueToken, MAX_REFRESH_S, SESSION_S } from './tokens.ts';

type SessionOperation = Extract<
  keyof typeof userOperations,
  | 'login'
  | 'logout'
  | 'loginV2'
  | 'logoutV2'
  | 'refreshToken'
  | 'listPersonalAccessTokens'
  | 'createPersonalAccessToken'
  | 'deletePersonalAccessToken'
>;

const iso = (at: number) => new Date(at).toISOString();

export function sessionOperations(store: Store): Handlers<SessionOperation> {
  async function identify(credentials: Credentials, call: Call): Promise<number> {
    if (!credentials.username && !credentials.email) throw usernameOrEmailRequired();
    const userId = await userOfCredentials(store, credentials, call);
    if (userId === undefined) throw loginFailed();
    return userId;
  }

  const logout = async (call: Call) => {
    await store.query.deleteFrom('tokens').where('id', '=', call.caller.tokenId).execute();
  };

  return {
    async login(call) {
      const userId = await identify(call.body, call);
      const ttl = Math.min(call.body.ttl ?? SESSION_S, SESSION_S);
      return tokenV1(userId, ttl, await issueToken(store.query, { userId, kind: 'login', ttl }, call.now));
    },

    async logout(call) {
      await logout(call);
      return undefined;
    },

    async loginV2(call) {
      const userId = await identify(call.body, call);
      const refreshable = refreshLife(call.body.refreshable);
      return tokenV2(
        userId,
        await issueToken(store.query, { userId, kind: 'login', ttl: SESSION_S, refreshable }, call.now),
      );
    },

    async logoutV2(call) {
      await logout(call);
      return {};
    },

    async refreshToken(call) {
      const { accessToken, refreshToken } = call.body;
      if (!accessToken || !refreshToken) throw badRequest('accessToken and refreshToken are required');
      const refreshable = refreshLife(call.body.refreshable);
      return store.transaction(async (tx) => {
        // The request that deletes the row has used the refresh token; a second one finds nothing.
        const used = await tx
          .deleteFrom('tokens')
          .where('hash', '=', fingerprint(accessToken))
          .where('refreshHash', '=', fingerprint(refreshToken))
          .where('refreshUntil', '>', call.now)
          .returning(['userId', 'ttl'])
          .executeTakeFirst();
        if (used === undefined) throw loginFailed();
        const { userId, ttl } = used;
        return tokenV2(userId, await issueToken(tx, { userId, kind: 'login', ttl, refreshable }, call.now));
      });
    },

    async listPersonalAccessTokens({ caller, parameters }) {
      const page = (parameters.page as number | undefined) ?? 0;
      const limit = (parameters.limit as number | undefined) ?? 100;
      const own = store.query.selectFrom('tokens').where('userId', '=', caller.userId).where('kind', '=', 'personal');
      const rows = await own
        .selectAll()
        .orderBy('id')
        .limit(limit)
        .offset(page * limit)
        .execute();
      const { total } = await own.select((of) => of.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
      const tokens = rows.map((row) => ({
        id: row.id,
        description: row.description,
        created: iso(row.created),
        expiresAt: iso(row.expiresAt),
        ttl: row.ttl,
      }));
      return { tokens, page, limit, total };
    },

    async createPersonalAccessToken({ caller, body, now }) {
      const ttl = body.ttl!;
      const description = body.description ?? null;
      const issued = await issueToken(store.query, { userId: caller.userId, kind: 'personal', ttl, description }, now);
      const { id, token } = issued;
      return { id, description, created: iso(issued.created), expiresAt: iso(issued.expiresAt), ttl, token };
    },

    async deletePersonalAccessToken({ caller, key }) {
      const gone = await store.query
        .deleteFrom('tokens')
        .where('id', '=', key)
        .where('userId', '=', caller.userId)
        .where('kind', '=', 'personal')
        .executeTakeFirst();
      if (gone.numDeletedRows === 0n) throw childNotFound('personalAccessToken', key);
      return undefined;
    },
  };
}

function refreshLife(seconds: number | null | undefined): number | undefined {
  if ((seconds ?? 0) > MAX_REFRESH_S) {
    throw invalidField('credentials', 'refreshable', 'range', `must be at most ${MAX_REFRESH_S}`);
  }
  return seconds ?? undefined;
}

export function tokenV1(userId: number, ttl: number, issued: IssuedToken) {
  return { id: issued.token, ttl, created: iso(issued.created), userId };
}

function tokenV2(userId: number, issued: IssuedToken) {
  return {
    token: issued.token,
    expiry: iso(issued.expiresAt),
    userId,
    ...(issued.refreshToken && { refreshToken: issued.refreshToken, refreshTokenExpiry: iso(issued.refreshUntil!) }),
  };
}
