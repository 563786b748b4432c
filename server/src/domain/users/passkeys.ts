import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { passkeyOperations as contract } from '@trackway/contract/resources/accounts/passkey.ts';
import type { Selectable } from 'kysely';
import type { Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import { isoTime } from '../../platform/times.ts';
import { accessDenied, childNotFound, invalidField } from '../../refusals.ts';
import { recordAudit } from '../audit/record.ts';
import { getRow } from '../rows.ts';
import type { PasskeyRow } from '../schema/rows/account-rows.ts';
import type { Store, Tx } from '../schema/tables.ts';
import type { Prove } from './second-factor-proof.ts';
import { factorState, lockFactors, noteFactors, replaceRecoveryCodes } from './second-factors.ts';

const MOST = 20;

interface PasskeyParts {
  readonly prove: Prove;
  readonly publicUrl: string;
}

export function passkeyOperations(store: Store, { prove, publicUrl }: PasskeyParts): Handlers<keyof typeof contract> {
  const passkeysOf = (userId: number, on: Pick<Tx, 'selectFrom'> = store.query) =>
    on.selectFrom('passkeys').selectAll().where('userId', '=', userId).orderBy('id').execute();

  return {
    async listPasskeys({ caller }) {
      return (await passkeysOf(caller.userId)).map(shown);
    },

    async beginPasskey(call) {
      const { userId } = call.caller;
      const party = relyingPartyOf(call.origin, publicUrl);
      const user = await getRow(store.query, 'users', { id: userId }, ['email', 'name', 'kind']);
      if (user.kind === 'service') throw accessDenied();
      await prove.fresh(call, call.body);
      const known = await passkeysOf(userId);
      const { generateRegistrationOptions } = await webauthn();
      const options = await generateRegistrationOptions({
        rpName: 'Trackway',
        rpID: party.id,
        userName: user.email,
        userDisplayName: user.name ?? user.email,
        userID: new Uint8Array(Buffer.from(String(userId))),
        challenge: await newChallenge(store, userId, call.now),
        excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      return options as unknown as Record<string, unknown>;
    },

    async createPasskey(call) {
      const { userId } = call.caller;
      const { name, response } = call.body as { name: string; response: unknown };
      const party = relyingPartyOf(call.origin, publicUrl);
      const credential = await credentialOf(response as RegistrationResponseJSON, {
        party,
        isOurs: (challenge) => useChallenge(store, challenge, userId, call.now),
      });
      if (credential === undefined)
        throw invalidField('passkey', 'response', 'invalid', 'is not a valid response to the options: start again');
      return store.transaction(async (tx) => {
        await lockFactors(tx, userId);
        const before = await factorState(tx, userId);
        if (before.passkeys >= MOST)
          throw invalidField('passkey', 'id', 'quota', `cannot be created: the limit is ${MOST}`);
        const { id } = await unique(() =>
          tx
            .insertInto('passkeys')
            .values({ userId, name, ...credential, created: call.now, lastUsedAt: null })
            .returning('id')
            .executeTakeFirstOrThrow(),
        );
        await noteFactors(tx, userId);
        const by = { actorId: userId, tokenId: call.caller.tokenId, address: call.address, userId };
        await recordAudit(tx, { action: 'passkey.created', ...by, detail: { name } }, call.now);
        const isFirst = !before.authenticator && before.passkeys === 0;
        return { id, name, recoveryCodes: isFirst ? await replaceRecoveryCodes(tx, userId) : null };
      });
    },

    async updatePasskey({ caller, key, body }) {
      const renamed = await store.query
        .updateTable('passkeys')
        .set(body.name ? { name: body.name } : { userId: caller.userId })
        .where('id', '=', key)
        .where('userId', '=', caller.userId)
        .returningAll()
        .executeTakeFirst();
      if (renamed === undefined) throw childNotFound('passkey', key);
      return shown(renamed);
    },

    async deletePasskey(call) {
      const { caller, key, address, now } = call;
      const { userId, tokenId } = caller;
      // It may be the only second factor.
      await prove.fresh(call, {});
      await store.transaction(async (tx) => {
        await lockFactors(tx, userId);
        const gone = await tx
          .deleteFrom('passkeys')
          .where('id', '=', key)
          .where('userId', '=', userId)
          .returning('name')
          .executeTakeFirst();
        if (gone === undefined) throw childNotFound('passkey', key);
        await noteFactors(tx, userId);
        const entry = { action: 'passkey.deleted', actorId: userId, tokenId, address, userId, detail: gone } as const;
        await recordAudit(tx, entry, now);
      });
    },
  };
}

const shown = ({ id, name, created, lastUsedAt }: Selectable<PasskeyRow>) => ({
  id,
  name,
  created: isoTime(created),
  lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
});

interface Expected {
  readonly party: { readonly id: string; readonly origin: string };
  readonly isOurs: (challenge: string) => Promise<boolean>;
}

type NewCredential = Pick<PasskeyRow, 'credentialId' | 'publicKey' | 'counter' | 'transports'>;

/** What to keep of a new passkey; undefined where the answer is wrong, in whatever way. */
async function credentialOf(
  response: RegistrationResponseJSON,
  { party, isOurs }: Expected,
): Promise<NewCredential | undefined> {
  const { verifyRegistrationResponse } = await webauthn();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: isOurs,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    });
    if (!verified) return undefined;
    const { id, publicKey, counter, transports } = registrationInfo.credential;
    return {
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: transports === undefined ? null : JSON.stringify(transports.slice(0, 10).map(String)),
    };
  } catch {
    // The library throws for whatever does not fit.
    return undefined;
  }
}

async function unique<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NotUnique)) throw error;
    throw invalidField('passkey', 'response', 'uniqueness', 'is already registered');
  }
}

/** Loaded when the first passkey is used: with all that belongs to it, it is a sixth of the files of the program. */
export const webauthn = () => import('@simplewebauthn/server');

/** The owner of passkeys: a domain, and the origin of the pages that may use them. */
interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/**
 * The relying party of a request: this server at its public address, or at the name of this machine. Any other host
 * name in the request is untrusted, so no passkey is created for it.
 */
export function relyingPartyOf(origin: string, publicUrl: string): RelyingParty {
  const known = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  const asked = URL.canParse(origin) ? new URL(origin) : undefined;
  if (known && asked?.origin === known.origin && isUsable(known)) return { id: known.hostname, origin: known.origin };
  if (asked?.hostname === 'localhost') return { id: 'localhost', origin: asked.origin };
  const at =
    known && isUsable(known) ? `at ${known.origin}` : 'where TRACKWAY_PUBLIC_URL is an https:// address with a name';
  throw new Refusal(400, `Passkeys work only ${at}, and at localhost`, { code: 'NO_PASSKEYS_HERE' });
}

/** Browsers offer passkeys to names only, and not over plain http. */
const isUsable = ({ protocol, hostname }: URL) =>
  protocol === 'https:' && isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 && hostname !== '';

const LIFE_MS = 5 * 60_000;
/** Anyone may ask for a challenge, so the oldest go first when there are too many. */
const MOST_CHALLENGES = 10_000;

/** Something new for a passkey to sign. `userId` is the only user who may use it; null for a sign-in. */
export async function newChallenge(store: Store, userId: number | null, now: number): Promise<Buffer<ArrayBuffer>> {
  const challenge = Buffer.from(randomBytes(32));
  await store.transaction(async (tx) => {
    await tx.deleteFrom('signInChallenges').where('expiresAt', '<', now).execute();
    const tooMany = tx
      .selectFrom('signInChallenges')
      .select('challenge')
      .orderBy('expiresAt', 'desc')
      .limit(MOST_CHALLENGES)
      .offset(MOST_CHALLENGES);
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
