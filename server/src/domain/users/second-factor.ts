import type { secondFactorOperations as contract } from '@trackway/contract/resources/accounts/second-factor.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Vault } from '../../platform/vault.ts';
import { accessDenied, invalidField, modelNotFound } from '../../refusals.ts';
import { type AuditEntry, recordAudit } from '../audit/record.ts';
import { findRow, getRow } from '../rows.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type AccountMailer, lettersTo, NO_MAIL, postMail } from './account-letters.ts';
import type { Prove } from './second-factor-proof.ts';
import {
  lockFactors,
  newTotpSecret,
  noteFactors,
  otpauthUri,
  replaceRecoveryCodes,
  type SecondFactors,
  secretContext,
  stepOfCode,
} from './second-factors.ts';
import { endTokensOf } from './tokens.ts';

interface SecondFactorParts {
  readonly vault: Vault;
  readonly factors: SecondFactors;
  readonly prove: Prove;
  readonly mailer?: AccountMailer;
}

export function secondFactorOperations(
  store: Store,
  { vault, factors, prove, mailer = NO_MAIL }: SecondFactorParts,
): Handlers<keyof typeof contract> {
  const userOf = (userId: number) => getRow(store.query, 'users', { id: userId }, ['email', 'kind', 'passwordHash']);

  return {
    async getSecondFactor({ caller }) {
      const { passwordHash } = await userOf(caller.userId);
      return {
        ...(await factors.stateOf(caller.userId)),
        demanded: caller.lacksSecondFactor === true,
        hasPassword: passwordHash !== '',
      };
    },

    async beginAuthenticator(call) {
      const { userId } = call.caller;
      const { email, kind } = await userOf(userId);
      if (kind === 'service') throw accessDenied();
      await prove.fresh(call, call.body);
      const secret = newTotpSecret();
      const sealed = vault.seal(secret, secretContext(userId));
      const begun = { secret: sealed, created: call.now, confirmedAt: null, lastStep: 0 };
      await store.transaction(async (tx) => {
        await lockFactors(tx, userId);
        // One that is in use stays until it is removed.
        const kept = await tx
          .selectFrom('authenticators')
          .select('userId')
          .where('userId', '=', userId)
          .where('confirmedAt', 'is not', null)
          .executeTakeFirst();
        if (kept) throw invalidField('authenticator', 'id', 'exists', 'is already set up: remove it first');
        await tx.deleteFrom('authenticators').where('userId', '=', userId).execute();
        await tx
          .insertInto('authenticators')
          .values({ userId, ...begun })
          .execute();
      });
      return { secret, uri: otpauthUri(secret, email) };
    },

    confirmAuthenticator: (call) =>
      store.transaction(async (tx) => {
        const { userId } = call.caller;
        await lockFactors(tx, userId);
        const begun = await tx
          .selectFrom('authenticators')
          .select('secret')
          .where('userId', '=', userId)
          .where('confirmedAt', 'is', null)
          .executeTakeFirst();
        if (begun === undefined)
          throw invalidField('authenticator', 'code', 'absent', 'belongs to no app: start again');
        const code = call.body.code!.replaceAll(/\s/g, '');
        const step = stepOfCode(vault.open(begun.secret, secretContext(userId)), code, call.now, 0);
        if (step === undefined)
          throw invalidField('authenticator', 'code', 'invalid', 'is not correct: check the clock of your phone');
        await tx
          .updateTable('authenticators')
          .set({ confirmedAt: call.now, lastStep: step })
          .where('userId', '=', userId)
          .execute();
        await noteFactors(tx, userId);
        await record(tx, call, { action: 'secondFactor.enabled', userId });
        return { recoveryCodes: await replaceRecoveryCodes(tx, userId) };
      }),

    async confirmSignIn(call) {
      await prove.signIn(call, call.body);
      const { userId, tokenId } = call.caller;
      await store.transaction(async (tx) => {
        const session = await tx
          .updateTable('tokens')
          .set({ signedInAt: call.now })
          .where('id', '=', tokenId)
          .where('kind', 'in', ['login', 'browser'])
          .returning('id')
          .executeTakeFirst();
        if (session === undefined) throw accessDenied();
        // The tabs of a browser have tokens of their own.
        await tx
          .updateTable('tokens')
          .set({ signedInAt: call.now })
          .where('parentId', '=', tokenId)
          .where('kind', '=', 'tab')
          .execute();
        await record(tx, call, { action: 'session.confirmed', userId });
      });
    },

    async removeAuthenticator(call) {
      const { userId } = call.caller;
      await prove.again(call, call.body);
      await store.transaction(async (tx) => {
        await lockFactors(tx, userId);
        await tx.deleteFrom('authenticators').where('userId', '=', userId).execute();
        await noteFactors(tx, userId);
        await record(tx, call, { action: 'secondFactor.removed', userId });
      });
    },

    async createRecoveryCodes(call) {
      const { userId } = call.caller;
      await prove.again(call, call.body);
      const { authenticator, passkeys } = await factors.stateOf(userId);
      if (!authenticator && passkeys === 0)
        throw invalidField('recoveryCodes', 'id', 'absent', 'need a second factor: set one up first');
      return store.transaction(async (tx) => {
        await lockFactors(tx, userId);
        await record(tx, call, { action: 'recoveryCodes.created', userId });
        return { recoveryCodes: await replaceRecoveryCodes(tx, userId) };
      });
    },

    async resetSecondFactor(call) {
      const userId = call.key;
      if (userId === call.caller.userId)
        throw invalidField('secondFactor', 'id', 'own', 'is your own: remove your app and passkeys in Settings');
      await store.transaction(async (tx) => {
        await lockFactors(tx, userId);
        const user = await findRow(tx, 'users', { id: userId }, ['email', 'kind']);
        if (user === undefined) throw modelNotFound('user', userId);
        for (const table of ['authenticators', 'passkeys'] as const)
          await tx.deleteFrom(table).where('userId', '=', userId).execute();
        await noteFactors(tx, userId);
        await endTokensOf(tx, userId, call.caller.tokenId);
        await record(tx, call, { action: 'secondFactor.reset', userId });
        if (mailer.missing !== undefined || user.kind === 'service') return;
        const content = (await lettersTo(tx, userId)).secondFactorReset();
        const mail = { userId, address: user.email, content, seal: mailer.seal };
        await postMail(tx, mail, call.now);
      });
      mailer.wake();
    },
  };
}

const record = (
  tx: Tx,
  { caller, address, now }: Pick<Call, 'caller' | 'address' | 'now'>,
  entry: Pick<AuditEntry, 'action' | 'userId' | 'detail'>,
) => recordAudit(tx, { actorId: caller.userId, tokenId: caller.tokenId, address, ...entry }, now);
