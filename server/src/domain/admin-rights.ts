import { type RawBuilder, sql } from 'kysely';
import type { Store } from './schema/tables.ts';

/** Whether an admin needs a second factor to act as one. */
export interface AdminPolicy {
  readonly needsSecondFactor: boolean;
}

export const ADMINS_AS_THEY_ARE: AdminPolicy = { needsSecondFactor: false };

/**
 * The rights of an admin, for whoever asks by whatever token: one who needs a second factor and has none is an ordinary
 * user until then.
 */
export function adminRights(
  user: { readonly admin: number; readonly hasSecondFactor: number; readonly userKind: 'person' | 'service' },
  policy: AdminPolicy,
): { readonly admin: boolean; readonly lacksSecondFactor?: true } {
  if (user.admin === 0) return { admin: false };
  // A program cannot give a second factor: whoever made it an admin has given theirs.
  const isSpared = user.userKind === 'service' || user.hasSecondFactor !== 0;
  if (policy.needsSecondFactor && !isSpared) return { admin: false, lacksSecondFactor: true };
  return { admin: true };
}

const POLICY = 'adminSecondFactor';
const DEMANDED = 'demanded';

/** Kept with the data, since rights are also asked for where only the database answers. */
export async function keepAdminPolicy(store: Store, { needsSecondFactor }: AdminPolicy): Promise<void> {
  const value = needsSecondFactor ? DEMANDED : 'asTheyAre';
  await store.query
    .insertInto('settings')
    .values({ name: POLICY, value })
    .onConflict((on) => on.column('name').doUpdateSet({ value }))
    .execute();
}

const IS_DEMANDED = `"ofPolicy"."name" = '${POLICY}' AND "ofPolicy"."value" = '${DEMANDED}'`;
const actsUnless = (user: string, isDemanded: string) =>
  `("${user}"."admin" = 1 AND ("${user}"."kind" = 'service' OR "${user}"."hasSecondFactor" <> 0 OR NOT ${isDemanded}))`;

/** `adminRights` as an expression of SQL, about the row of `users` of this alias. */
export const actsAsAdminText = (user: string) =>
  actsUnless(user, `EXISTS (SELECT 1 FROM "settings" "ofPolicy" WHERE ${IS_DEMANDED})`);

/**
 * The same about a user of this id, an expression of SQL. Joined, since Citus refuses a subquery within one that reads only
 * tables of which every server has all.
 */
export const isActingAdminText = (userId: string) => `EXISTS (SELECT 1 FROM "users" "ofUser"
  LEFT JOIN "settings" "ofPolicy" ON ${IS_DEMANDED}
  WHERE "ofUser"."id" = ${userId} AND ${actsUnless('ofUser', '"ofPolicy"."name" IS NOT NULL')})`;

/** The first for queries. */
export const actsAsAdmin = (user: string): RawBuilder<boolean> => sql<boolean>`${sql.raw(actsAsAdminText(user))}`;
