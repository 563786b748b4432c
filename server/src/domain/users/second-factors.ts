import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { fingerprint } from '../../platform/secrets.ts';
import type { Vault } from '../../platform/vault.ts';
import { countRows } from '../rows.ts';
import type { Store, Tx } from '../schema/tables.ts';

/** What a user can prove themselves with besides the password. */
interface FactorState {
  readonly authenticator: boolean;
  readonly passkeys: number;
  readonly recoveryCodes: number;
}

/** How a user can give a second factor. */
export const waysOf = (state: FactorState | undefined): string[] => [
  ...(state?.authenticator ? ['app'] : []),
  ...(state?.passkeys ? ['passkey'] : []),
  ...(state?.recoveryCodes ? ['recovery'] : []),
];

export interface SecondFactors {
  stateOf(userId: number): Promise<FactorState>;
  /** Whether the code is right: one of the app or a recovery code. It is used up by this. */
  useCode(userId: number, code: string, now: number): Promise<boolean>;
}

export const secretContext = (userId: number) => `authenticators.secret:${userId}`;

export function secondFactors(store: Store, vault: Vault): SecondFactors {
  return {
    stateOf: (userId) => factorState(store.query, userId),

    async useCode(userId, code, now) {
      const typed = code.replaceAll(/[\s-]/g, '');
      if (!/^\d{6}$/.test(typed)) return store.transaction((tx) => useRecoveryCode(tx, userId, typed));
      const app = await store.query
        .selectFrom('authenticators')
        .select(['secret', 'lastStep'])
        .where('userId', '=', userId)
        .where('confirmedAt', 'is not', null)
        .executeTakeFirst();
      if (app === undefined) return false;
      const step = stepOfCode(vault.open(app.secret, secretContext(userId)), typed, now, app.lastStep);
      if (step === undefined) return false;
      // Of two requests with the same code, one finds the step used.
      const taken = await store.query
        .updateTable('authenticators')
        .set({ lastStep: step })
        .where('userId', '=', userId)
        .where('lastStep', '<', step)
        .executeTakeFirst();
      return taken.numUpdatedRows > 0n;
    },
  };
}

export async function factorState(on: Pick<Tx, 'selectFrom'>, userId: number): Promise<FactorState> {
  const app = await on
    .selectFrom('authenticators')
    .select('userId')
    .where('userId', '=', userId)
    .where('confirmedAt', 'is not', null)
    .executeTakeFirst();
  return {
    authenticator: app !== undefined,
    passkeys: await countRows(on.selectFrom('passkeys').where('userId', '=', userId)),
    recoveryCodes: await countRows(on.selectFrom('recoveryCodes').where('userId', '=', userId)),
  };
}

/** Locks the user until the end of the transaction, so that what is changed and the flag of it agree. */
export const lockFactors = (tx: Tx, userId: number) =>
  tx.updateTable('users').set({ hasSecondFactor: sql<number>`"hasSecondFactor"` }).where('id', '=', userId).execute();

/** Says with the user whether there is a second factor. Recovery codes replace one, so they end with the last. */
export async function noteFactors(tx: Tx, userId: number): Promise<void> {
  const { authenticator, passkeys } = await factorState(tx, userId);
  const hasSecondFactor = authenticator || passkeys > 0 ? 1 : 0;
  await tx.updateTable('users').set({ hasSecondFactor }).where('id', '=', userId).execute();
  if (hasSecondFactor === 0) await tx.deleteFrom('recoveryCodes').where('userId', '=', userId).execute();
}

const CODES = 10;
/** Without letters and digits that look alike. 16 of them have 79 bits, so a plain hash cannot be reversed. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 16;

/** Replaces the recovery codes of a user, and returns the new ones: `abcd-efgh-jkmn-pqrs`. */
export async function replaceRecoveryCodes(tx: Tx, userId: number): Promise<string[]> {
  await tx.deleteFrom('recoveryCodes').where('userId', '=', userId).execute();
  const codes = Array.from({ length: CODES }, newCode);
  await tx
    .insertInto('recoveryCodes')
    .values(codes.map((code) => ({ userId, hash: fingerprint(bare(code)) })))
    .execute();
  return codes;
}

/** Whether this was a recovery code of the user. It is none any more. */
async function useRecoveryCode(tx: Tx, userId: number, code: string): Promise<boolean> {
  const used = await tx
    .deleteFrom('recoveryCodes')
    .where('userId', '=', userId)
    .where('hash', '=', fingerprint(bare(code)))
    .executeTakeFirst();
  return used.numDeletedRows > 0n;
}

function newCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return letters.replaceAll(/(.{4})(?=.)/g, '$1-');
}

const bare = (code: string) => code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Codes of an authenticator app: RFC 6238 with the parameters that every app knows. */
const PERIOD_S = 30;
const FORM = { issuer: 'Trackway', algorithm: 'SHA1', digits: 6, period: PERIOD_S };
/** A code is good one step before and after its own, since clocks differ. */
const WINDOW = 1;

export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** What the QR code for the app holds. */
export const otpauthUri = (secret: string, account: string): string =>
  new TOTP({ ...FORM, label: account, secret }).toString();

/** The time step whose code this is; undefined for a wrong code, or one of a step that is used up. */
export function stepOfCode(secret: string, code: string, now: number, lastStep: number): number | undefined {
  // Of other texts of this length, the library compares bytes that differ in number, and throws.
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = new TOTP({ ...FORM, secret }).validate({ token: code, timestamp: now, window: WINDOW });
  if (delta === null) return undefined;
  const step = Math.floor(now / 1000 / PERIOD_S) + delta;
  return step > lastStep ? step : undefined;
}
