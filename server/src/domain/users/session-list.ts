import type { sessionOperations as contract } from '@trackway/contract/resources/accounts/session.ts';
import type { Handlers } from '../../calls.ts';
import { childNotFound } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import type { Store } from '../schema/tables.ts';
import type { LastUses } from './last-uses.ts';
import { shownLimits } from './personal-tokens.ts';
import { livingCredentials, scopeIn } from './tokens.ts';

const MOST = 1000;
/** A browser is one session, however many tabs it has: theirs end with it. */
const KINDS = { session: ['login', 'browser'], token: ['personal'], mqtt: ['mqtt'] } as const;
const SHOWN = { login: 'session', browser: 'session', personal: 'token', mqtt: 'mqtt' } as const;
const LISTED = ['login', 'browser', 'personal', 'mqtt'] as const;
type Listed = (typeof LISTED)[number];

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
      const credentials = await livingCredentials(store.query, now)
        .select(['t.id', 'p.expiresAt', 'p.refreshUntil'])
        .where('t.userId', '=', userId)
        .execute();
      /** When the tokens end that credentials for the broker were made with. */
      const ends = new Map(credentials.map((one) => [one.id, Math.max(one.expiresAt, one.refreshUntil ?? 0)]));
      const living = rows.filter(({ id, kind }) => kind !== 'mqtt' || ends.has(id));
      return living.map((row) => {
        const use = uses?.of(row.id) ?? { at: row.lastUsed, address: row.lastAddress };
        return {
          id: row.id,
          kind: SHOWN[row.kind as Listed],
          current: row.id === caller.tokenId,
          description: row.description,
          agent: row.agent,
          created: iso(row.created),
          signedInAt: isoOrNull(row.signedInAt),
          lastUsed: isoOrNull(use.at),
          lastAddress: use.address,
          expiresAt: iso(Math.min(Math.max(row.expiresAt, row.refreshUntil ?? 0), ends.get(row.id) ?? Infinity)),
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
        const action = SHOWN[gone.kind as Listed] === 'session' ? 'session.revoked' : 'token.revoked';
        await recordAudit(tx, { action, ...byCaller(call), userId, detail }, now);
      });
    },

    async endSessions(call) {
      const { userId, caller, parameters, now } = call;
      const count = await store.transaction(async (tx) => {
        const ending = tx.deleteFrom('tokens').where('userId', '=', userId).where('id', '!=', caller.tokenId);
        const kinds: readonly Listed[] = parameters.kind === undefined ? LISTED : KINDS[parameters.kind];
        let ended = 0;
        // Credentials go with their token, so they are counted before it ends.
        for (const kind of kinds.toReversed())
          ended += (await ending.where('kind', '=', kind).returning('id').execute()).length;
        const detail = { all: parameters.kind ?? true, count: ended };
        await recordAudit(tx, { action: 'session.revoked', ...byCaller(call), userId, detail }, now);
        return ended;
      });
      return { count };
    },
  };
}

/** Browsers name each other in what they send, so the order matters: the first that is found is right. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/.*Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** What people recognise of a User-Agent header: "Firefox on Linux", or the name of a program. */
export function agentLabel(header: string | undefined): string | null {
  if (header === undefined || header === '') return null;
  const sent = header.slice(0, 500);
  const browser = BROWSERS.find(([pattern]) => pattern.test(sent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(sent))?.[1];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return /^[\w.-]{1,40}/.exec(sent)?.[0] ?? null;
}
