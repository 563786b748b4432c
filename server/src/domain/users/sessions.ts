import type { Credentials, userOperations } from '@trackway/contract/resources/accounts/user.ts';
import { MAX_REFRESH_S } from '@trackway/contract/resources/accounts/user.ts';
import type { Call, Handlers } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { invalidField, loginFailed, usernameOrEmailRequired } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import type { Store } from '../schema/tables.ts';
import { shownUser } from './accounts.ts';
import { beginSession } from './begin-session.ts';
import { endReused, refreshedJustNow, refreshSession } from './refresh.ts';
import { type SignInCheck, signInCheck } from './sign-in-check.ts';
import { DEFAULT_LIFE, type IssuedToken, type NewToken, SESSION_S, type SessionLife } from './tokens.ts';

type SessionOperation = Extract<
  keyof typeof userOperations,
  'login' | 'logout' | 'loginV2' | 'logoutV2' | 'refreshToken'
>;

const iso = (at: number) => new Date(at).toISOString();

export function sessionOperations(
  store: Store,
  life: SessionLife = DEFAULT_LIFE,
  check: SignInCheck = signInCheck(store),
): Handlers<SessionOperation> {
  const identify = async (given: Credentials, call: Call) => (await check(given, call)).userId;

  /** Begins a session for a user who has just proved who they are. */
  const begin = (call: Call, userId: number, wanted: Pick<NewToken, 'ttl' | 'refreshable'>) =>
    store.transaction((tx) => beginSession(tx, call, { userId, ...wanted }));

  const logout = async (call: Call) => {
    const { tokenId, userId } = call.caller;
    await store.transaction(async (tx) => {
      await tx.deleteFrom('tokens').where('id', '=', tokenId).execute();
      await recordAudit(tx, { action: 'session.ended', ...byCaller(call), userId }, call.now);
    });
  };

  return {
    async login(call) {
      const userId = await identify(call.body, call);
      const ttl = Math.min(call.body.ttl ?? SESSION_S, SESSION_S);
      const token = tokenV1(userId, ttl, await begin(call, userId, { ttl }));
      return includesUser(call.parameters.include) ? { ...token, user: await shownUser(store, userId) } : token;
    },

    async logout(call) {
      await logout(call);
      return undefined;
    },

    async loginV2(call) {
      if (!call.body.username && !call.body.email) throw usernameOrEmailRequired();
      if (!call.body.password) throw badRequest('password is required');
      const userId = await identify(call.body, call);
      const refreshable = refreshLife(call.body.refreshable);
      return tokenV2(userId, await begin(call, userId, { ttl: SESSION_S, refreshable }));
    },

    async logoutV2(call) {
      await logout(call);
      return {};
    },

    async refreshToken(call) {
      const { accessToken, refreshToken } = call.body;
      if (!accessToken || !refreshToken) throw badRequest('accessToken and refreshToken are required');
      const refreshable = refreshLife(call.body.refreshable);
      const presented = { accessToken, refreshToken };
      const refreshed = await store.transaction(async (tx) => {
        const found =
          (await refreshSession(tx, presented, { refreshable, life, address: call.address }, call.now)) ??
          (await refreshedJustNow(tx, presented, call.now));
        if (found === undefined) await endReused(tx, presented, call);
        return found;
      });
      if (refreshed === undefined) throw loginFailed();
      return tokenV2(refreshed.userId, refreshed);
    },
  };
}

function refreshLife(seconds: number | null | undefined): number | undefined {
  if ((seconds ?? 0) > MAX_REFRESH_S) {
    throw invalidField('credentials', 'refreshable', 'range', `must be at most ${MAX_REFRESH_S}`);
  }
  return seconds ?? undefined;
}

/** `user`, `"user"`, `["user"]` and `{"relation": "user"}` mean the same. */
const includesUser = (include: unknown): boolean =>
  [include].flat().some((one) => one === 'user' || (one as { relation?: unknown } | null)?.relation === 'user');

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
