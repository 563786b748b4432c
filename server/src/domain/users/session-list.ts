import type { sessionOperations as contract } from '@trackway/contract/resources/accounts/session.ts';
import type { Handlers } from '../../calls.ts';
import { childNotFound } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import type { Store } from '../schema/tables.ts';
import type { LastUses } from './last-uses.ts';
import { shownLimits } from './personal-tokens.ts';
import { scopeIn } from './tokens.ts';

const MOST = 1000;
/** A browser is one session, however many tabs it has: theirs end with it. */
const KINDS = { session: ['login', 'browser'], token: ['personal'] } as const;
const LISTED = ['login', 'browser', 'personal'] as const;
const ENDED = { login: 'session.revoked', browser: 'session.revoked', personal: 'token.revoked' } as const;

const iso = (at: number) => new Date(at).toISOString();
const isoOrNull = (at: number | null) => (at === null ? null : iso(at));

/** Where a user is signed in, for that user and for admins; ended one by one or all together. */
export function sessionListOperations(store: Store, uses?: LastUses): Handlers<keyof typeof contract> {
  return {
    async listSessions({ userId, caller, now }) {
      const rows = await store.query
        .selectFrom('tokens')
        .selectAll()
        .where('userId', '=', userId)
        .where('kind', 'in', LISTED)
        .where((when) => when.or([when('expiresAt', '>', now), when('refreshUntil', '>', now)]))
        .orderBy('id', 'desc')
        .limit(MOST)
        .execute();
      return rows.map((row) => {
        const use = uses?.of(row.id) ?? { at: row.lastUsed, address: row.lastAddress };
        return {
          id: row.id,
          kind: row.kind === 'personal' ? ('token' as const) : ('session' as const),
          current: row.id === caller.tokenId,
          description: row.description,
          agent: row.agent,
          created: iso(row.created),
          signedInAt: isoOrNull(row.signedInAt),
          lastUsed: isoOrNull(use.at),
          lastAddress: use.address,
          expiresAt: iso(Math.max(row.expiresAt, row.refreshUntil ?? 0)),
          ...shownLimits(scopeIn(row)),
        };
      });
    },

    async endSession(call) {
      const { userId, key, now } = call;
      await store.transaction(async (tx) => {
        const gone = await tx
          .deleteFrom('tokens')
          .where('id', '=', key)
          .where('userId', '=', userId)
          .where('kind', 'in', LISTED)
          .returning(['kind', 'description', 'agent'])
          .executeTakeFirst();
        if (gone === undefined) throw childNotFound('session', key);
        const detail = { id: key, description: gone.description, agent: gone.agent };
        await recordAudit(
          tx,
          { action: ENDED[gone.kind as keyof typeof ENDED], ...byCaller(call), userId, detail },
          now,
        );
      });
      return undefined;
    },

    async endSessions(call) {
      const { userId, caller, parameters, now } = call;
      const count = await store.transaction(async (tx) => {
        const kinds = parameters.kind === undefined ? LISTED : KINDS[parameters.kind];
        const ending = tx
          .deleteFrom('tokens')
          .where('userId', '=', userId)
          .where('id', '!=', caller.tokenId)
          .where('kind', 'in', kinds);
        const gone = await ending.returning('id').execute();
        const detail = { all: parameters.kind ?? true, count: gone.length };
        await recordAudit(tx, { action: 'session.revoked', ...byCaller(call), userId, detail }, now);
        return gone.length;
      });
      return { count };
    },
  };
}
