import type { Credentials, userOperations } from '@trackway/contract/resources/accounts/user.ts';
import { MAX_REFRESH_S } from '@trackway/contract/resources/accounts/user.ts';
import type { Call, Handlers } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { derivedSecret, fingerprint, randomSecret } from '../../platform/secrets.ts';
import { invalidField, loginFailed, usernameOrEmailRequired } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { findRow } from '../rows.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { shownUser } from './accounts.ts';
import { agentLabel } from './session-list.ts';
import { type SignInCheck, signInCheck } from './sign-in-check.ts';
import {
  DEFAULT_LIFE,
  type IssuedToken,
  issueToken,
  type NewToken,
  newSecrets,
  SESSION_S,
  type SessionLife,
} from './tokens.ts';

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

/** The tokens for a refresh: they are valid only together. */
interface PresentedPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * A client that sends a refresh twice at once, or again because the answer was lost, gets the same tokens for this
 * long. A thief who is as fast has them too, and is found out by the next refresh of either.
 */
const GRACE_MS = 30_000;

/** The new tokens follow from the old refresh token and a salt, so they can be returned again without being stored. */
const secretsOf = (refreshToken: string, salt: string) => (use: string) => derivedSecret(refreshToken, salt, use);

interface Refreshing {
  readonly refreshable: number | undefined;
  readonly life: SessionLife;
  readonly address: string;
}

/**
 * Gives a session new tokens; undefined where the pair is not valid. The session stays the same row, so that everything
 * that ends it ends all tokens it ever had.
 */
async function refreshSession(
  tx: Tx,
  { accessToken, refreshToken }: PresentedPair,
  { refreshable, life, address }: Refreshing,
  now: number,
): Promise<(IssuedToken & { readonly userId: number }) | undefined> {
  const [hash, refreshHash] = [fingerprint(accessToken), fingerprint(refreshToken)];
  // Changing the row locks it: a second request with the same pair waits, and then finds another hash.
  const session = await tx
    .updateTable('tokens')
    .set({ lastUsed: now, lastAddress: address })
    .where('hash', '=', hash)
    .where('refreshHash', '=', refreshHash)
    .where('refreshUntil', '>', now)
    .where('created', '>', now - life.mostMs)
    .where((when) => when.or([when('created', '>', now - life.idleMs), when('lastUsed', '>', now - life.idleMs)]))
    .returning(['id', 'userId', 'ttl', 'created'])
    .executeTakeFirst();
  if (session === undefined) return undefined;
  const { id, userId, ttl, created } = session;
  const salt = randomSecret(32);
  const endsAt = created + life.mostMs;
  const secrets = newSecrets({ ttl, refreshable }, now, endsAt, secretsOf(refreshToken, salt));
  const { token, expiresAt, refresh, columns } = secrets;
  await tx.updateTable('tokens').set(columns).where('id', '=', id).execute();
  await tx
    .insertInto('spentRefreshTokens')
    .values({ hash: refreshHash, tokenId: id, accessHash: hash, salt, spentAt: now })
    .onConflict((on) => on.column('hash').doNothing())
    .execute();
  return { id, userId, token, created: now, expiresAt, ...refresh };
}

/** The tokens that a pair was just answered with; undefined where that was long ago, or they were refreshed since. */
async function refreshedJustNow(
  tx: Tx,
  { accessToken, refreshToken }: PresentedPair,
  now: number,
): Promise<(IssuedToken & { readonly userId: number }) | undefined> {
  const spent = await tx
    .selectFrom('spentRefreshTokens')
    .select(['tokenId', 'salt', 'spentAt'])
    .where('hash', '=', fingerprint(refreshToken))
    .where('accessHash', '=', fingerprint(accessToken))
    .where('spentAt', '>', now - GRACE_MS)
    .executeTakeFirst();
  if (spent === undefined || spent.salt === null) return undefined;
  const secretFor = secretsOf(refreshToken, spent.salt);
  const token = secretFor('token');
  const session = await tx
    .selectFrom('tokens')
    .select(['id', 'userId', 'expiresAt', 'refreshUntil'])
    .where('id', '=', spent.tokenId)
    .where('hash', '=', fingerprint(token))
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  if (session === undefined) return undefined;
  const { id, userId, expiresAt, refreshUntil } = session;
  const refresh = refreshUntil === null ? {} : { refreshToken: secretFor('refresh'), refreshUntil };
  return { id, userId, token, created: spent.spentAt!, expiresAt, ...refresh };
}

/**
 * A refresh token that comes again later was stolen: it is unknown which of the two clients is the thief, so the
 * session ends.
 */
async function endReused(
  tx: Tx,
  { refreshToken }: PresentedPair,
  { address, now }: Pick<Call, 'address' | 'now'>,
): Promise<void> {
  const spent = await findRow(tx, 'spentRefreshTokens', { hash: fingerprint(refreshToken) }, ['tokenId']);
  if (spent === undefined) return;
  const ended = await tx
    .deleteFrom('tokens')
    .where('id', '=', spent.tokenId)
    .returning(['userId', 'agent'])
    .executeTakeFirst();
  if (ended === undefined) return;
  const { userId, agent } = ended;
  const detail = { id: spent.tokenId, agent };
  await recordAudit(tx, { action: 'session.reused', address, userId, detail }, now);
}

/**
 * Begins a session of a user who has just proved who they are, whatever the way, and records it.
 *
 * @param how the way of the proof, where it is not the password
 */
export async function beginSession(
  tx: Tx,
  call: Pick<Call, 'address' | 'agent' | 'now'>,
  wanted: Pick<NewToken, 'userId' | 'ttl' | 'refreshable'>,
  how?: string,
): Promise<IssuedToken> {
  const { address, now } = call;
  const { userId } = wanted;
  const agent = agentLabel(call.agent);
  const issued = await issueToken(tx, { ...wanted, kind: 'login', agent, address }, now);
  const detail = { ...(agent !== null && { agent }), ...(how !== undefined && { how }) };
  await recordAudit(
    tx,
    { action: 'session.started', actorId: userId, tokenId: issued.id, address, userId, detail },
    now,
  );
  return issued;
}
