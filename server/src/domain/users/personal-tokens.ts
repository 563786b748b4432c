import type { userOperations } from '@trackway/contract/resources/accounts/user.ts';
import type { TokenScope } from '@trackway/contract/scopes.ts';
import type { Call, CallOf, Handlers } from '../../calls.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { pagedBy } from '../family.ts';
import { countRows } from '../rows.ts';
import type { Store } from '../schema/tables.ts';
import type { LastUses } from './last-uses.ts';
import { type OwnPassword, requireFreshSignIn } from './passwords.ts';
import { type Quotas, requireRoom, UNLIMITED } from './quotas.ts';
import { issueToken, NO_EXPIRY, scopeIn } from './tokens.ts';

type TokenOperation = Extract<
  keyof typeof userOperations,
  'listPersonalAccessTokens' | 'createPersonalAccessToken' | 'deletePersonalAccessToken'
>;

const iso = (at: number) => new Date(at).toISOString();

export interface PersonalTokenParts {
  readonly ownPassword: OwnPassword;
  readonly uses?: LastUses;
  readonly quotas?: Quotas;
}

/** Tokens for programs: long-lived, limited as their user wishes, listed and revoked by hand. */
export function personalTokenOperations(
  store: Store,
  { ownPassword, uses, quotas = UNLIMITED }: PersonalTokenParts,
): Handlers<TokenOperation> {
  return {
    async listPersonalAccessTokens({ caller, parameters }) {
      const { page, limit, skip } = tokenPageOf(parameters);
      const own = store.query.selectFrom('tokens').where('userId', '=', caller.userId).where('kind', '=', 'personal');
      const rows = await own.selectAll().orderBy('id').limit(limit).offset(skip).execute();
      const total = await countRows(own);
      const tokens = rows.map((row) => {
        const use = uses?.of(row.id) ?? { at: row.lastUsed, address: row.lastAddress };
        return {
          id: row.id,
          description: row.description,
          created: iso(row.created),
          expiresAt: iso(row.expiresAt),
          ttl: row.ttl,
          ...shownLimits(scopeIn(row)),
          lastUsed: use.at === null ? null : iso(use.at),
          lastAddress: use.address,
        };
      });
      return { tokens, limit, page, total };
    },

    async createPersonalAccessToken(call) {
      const { caller, body, now } = call;
      await requireFreshSignIn(call, body, ownPassword);
      const scope = scopeOf(body);
      if (scope?.deviceIds) await requireOwnDevices(store, call, scope.deviceIds);
      const ttl = ttlOf(call);
      const description = body.description ?? null;
      const room = { quotas, caller, userId: caller.userId };
      const issued = await store.transaction(async (tx) => {
        await requireRoom(tx, room, 'tokens', (on, userIds) =>
          on
            .selectFrom('tokens')
            .where('userId', 'in', userIds)
            .where('kind', '=', 'personal')
            .where('expiresAt', '>', now),
        );
        const made = await issueToken(
          tx,
          { userId: caller.userId, kind: 'personal', ttl, description, ...(scope && { scope }) },
          now,
        );
        const detail = { id: made.id, description, expiresAt: iso(made.expiresAt), ...shownLimits(scope) };
        await recordAudit(tx, { action: 'token.created', ...byCaller(call), userId: caller.userId, detail }, now);
        return made;
      });
      const { id, token } = issued;
      return {
        id,
        description,
        created: iso(issued.created),
        expiresAt: iso(issued.expiresAt),
        ttl,
        ...shownLimits(scope),
        token,
      };
    },

    async deletePersonalAccessToken(call) {
      const { caller, key, now } = call;
      await store.transaction(async (tx) => {
        const gone = await tx
          .deleteFrom('tokens')
          .where('id', '=', key)
          .where('userId', '=', caller.userId)
          .where('kind', '=', 'personal')
          .returning('description')
          .executeTakeFirst();
        if (gone === undefined) throw childNotFound('personalAccessToken', key);
        const detail = { id: key, description: gone.description };
        await recordAudit(tx, { action: 'token.revoked', ...byCaller(call), userId: caller.userId, detail }, now);
      });
      return {};
    },
  };
}

/** Pages begin at 1; with the old parameter names they begin at 0. */
function tokenPageOf(asked: CallOf<'listPersonalAccessTokens'>['parameters']) {
  const paged = pagedBy({ _limit: asked._limit ?? asked.limit, _page: asked._page });
  if (asked._page !== undefined || asked.page === undefined) return paged;
  return { limit: paged.limit, page: asked.page, skip: asked.page * paged.limit };
}

/** The limits as the API shows them. */
export function shownLimits(scope: TokenScope | undefined) {
  return {
    access: scope?.access ?? ('full' as const),
    deviceIds: scope?.deviceIds === undefined ? null : [...scope.deviceIds],
    families: scope?.families === undefined ? null : [...scope.families],
  };
}

export function scopeOf(body: {
  access?: TokenScope['access'] | null;
  deviceIds?: readonly number[] | null;
  families?: TokenScope['families'] | null;
}): TokenScope | undefined {
  const scope: TokenScope = {
    access: body.access ?? 'full',
    ...(body.deviceIds && { deviceIds: [...new Set(body.deviceIds)] }),
    ...(body.families && { families: [...new Set(body.families)] }),
  };
  return scope.access === 'full' && !scope.deviceIds && !scope.families ? undefined : scope;
}

/**
 * A token that only reports does not expire unless a lifetime is given: it is in the settings of a network, where its
 * expiry would not be noticed in time.
 */
export function ttlOf({ body, sent }: Pick<CallOf<'createPersonalAccessToken'>, 'body' | 'sent'>): number {
  const isGiven = typeof sent.ttl === 'number' || typeof sent.ttl === 'string';
  if (body.access === 'ingest') return isGiven ? body.ttl! : NO_EXPIRY;
  if (body.ttl !== NO_EXPIRY) return body.ttl!;
  const message = 'can be 0, for a token that does not expire, only with the access `ingest`';
  throw invalidField('personalAccessToken', 'ttl', 'minimum', message);
}

/** A list with a mistake in it would make a token that silently does less. */
async function requireOwnDevices(store: Store, { caller }: Call, deviceIds: readonly number[]): Promise<void> {
  const found = await store.query
    .selectFrom('devices')
    .select('id')
    .where('id', 'in', deviceIds)
    .where('deletedAt', 'is', null)
    .where((when) =>
      when.or([
        when('ownerId', '=', caller.userId),
        when('id', 'in', store.query.selectFrom('shares').select('deviceId').where('userId', '=', caller.userId)),
      ]),
    )
    .execute();
  const known = new Set(found.map(({ id }) => id));
  const unknown = deviceIds.find((id) => !known.has(id));
  if (unknown === undefined) return;
  const message = `contains ${unknown}, which is neither your device nor shared with you`;
  throw invalidField('personalAccessToken', 'deviceIds', 'unknown', message);
}
