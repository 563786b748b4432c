import { randomBytes } from 'node:crypto';
import type { Store } from '../schema/tables.ts';

const LIFE_MS = 5 * 60_000;
/** Anyone may ask for a challenge, so the oldest go first when there are too many. */
const MOST = 10_000;

/** Something new for a passkey to sign. `userId` is the only user who may use it; null for a sign-in. */
export async function newChallenge(store: Store, userId: number | null, now: number): Promise<Buffer<ArrayBuffer>> {
  const challenge = Buffer.from(randomBytes(32));
  await store.transaction(async (tx) => {
    await tx.deleteFrom('signInChallenges').where('expiresAt', '<', now).execute();
    const tooMany = tx
      .selectFrom('signInChallenges')
      .select('challenge')
      .orderBy('expiresAt', 'desc')
      .limit(MOST)
      .offset(MOST);
    await tx.deleteFrom('signInChallenges').where('challenge', 'in', tooMany).execute();
    await tx
      .insertInto('signInChallenges')
      .values({ challenge: challenge.toString('base64url'), userId, expiresAt: now + LIFE_MS })
      .execute();
  });
  return challenge;
}

/** Whether the challenge was given out to this user and not used since. It is used up by this. */
export async function useChallenge(
  store: Store,
  challenge: string,
  userId: number | null,
  now: number,
): Promise<boolean> {
  const used = await store.query
    .deleteFrom('signInChallenges')
    .where('challenge', '=', challenge)
    .where('expiresAt', '>', now)
    .where('userId', userId === null ? 'is' : '=', userId)
    .executeTakeFirst();
  return used.numDeletedRows > 0n;
}
