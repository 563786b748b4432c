import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import { fingerprint } from '../../../platform/secrets.ts';
import type { Tables } from '../../schema/tables.ts';

const CODES = 10;
/** Without letters and digits that look alike. 16 of them have 79 bits, so a plain hash cannot be reversed. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 16;

/** Replaces the recovery codes of a user, and returns the new ones: `abcd-efgh-jkmn-pqrs`. */
export async function replaceRecoveryCodes(tx: Kysely<Tables>, userId: number): Promise<string[]> {
  await tx.deleteFrom('recoveryCodes').where('userId', '=', userId).execute();
  const codes = Array.from({ length: CODES }, newCode);
  await tx
    .insertInto('recoveryCodes')
    .values(codes.map((code) => ({ userId, hash: fingerprint(bare(code)) })))
    .execute();
  return codes;
}

/** Whether this was a recovery code of the user. It is none any more. */
export async function useRecoveryCode(tx: Kysely<Tables>, userId: number, code: string): Promise<boolean> {
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
