import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Vault } from '../../../platform/vault.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { stepOfCode } from './one-time-code.ts';
import { useRecoveryCode } from './recovery-codes.ts';

/** What a user can prove themselves with besides the password. */
export interface FactorState {
  readonly authenticator: boolean;
  readonly passkeys: number;
  readonly recoveryCodes: number;
}

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

export async function factorState(on: Pick<Kysely<Tables>, 'selectFrom'>, userId: number): Promise<FactorState> {
  const app = await on
    .selectFrom('authenticators')
    .select('userId')
    .where('userId', '=', userId)
    .where('confirmedAt', 'is not', null)
    .executeTakeFirst();
  const countIn = async (table: 'passkeys' | 'recoveryCodes') =>
    (
      await on
        .selectFrom(table)
        .select((of) => of.fn.countAll<number>().as('total'))
        .where('userId', '=', userId)
        .executeTakeFirstOrThrow()
    ).total;
  return {
    authenticator: app !== undefined,
    passkeys: Number(await countIn('passkeys')),
    recoveryCodes: Number(await countIn('recoveryCodes')),
  };
}

/** Locks the user until the end of the transaction, so that what is changed and the flag of it agree. */
export const lockFactors = (tx: Kysely<Tables>, userId: number) =>
  tx.updateTable('users').set({ hasSecondFactor: sql<number>`"hasSecondFactor"` }).where('id', '=', userId).execute();

/** Says with the user whether there is a second factor. Recovery codes replace one, so they end with the last. */
export async function noteFactors(tx: Kysely<Tables>, userId: number): Promise<void> {
  const { authenticator, passkeys } = await factorState(tx, userId);
  const hasSecondFactor = authenticator || passkeys > 0 ? 1 : 0;
  await tx.updateTable('users').set({ hasSecondFactor }).where('id', '=', userId).execute();
  if (hasSecondFactor === 0) await tx.deleteFrom('recoveryCodes').where('userId', '=', userId).execute();
}
