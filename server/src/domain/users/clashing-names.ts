import type { Store } from '../schema/tables.ts';

const MOST_NAMED = 20;

/** Usernames that another user had before, but for upper and lower case. Nobody can take such a name any more. */
export async function clashingNames({ query }: Store): Promise<string[]> {
  const rows = await query
    .selectFrom('users')
    .select('username')
    .where('usernameClash', '=', 1)
    .orderBy('id')
    .limit(MOST_NAMED)
    .execute();
  return rows.flatMap(({ username }) => username ?? []);
}
