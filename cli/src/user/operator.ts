import { accept } from '@trackway/contract/accept.ts';
import { OPERATIONS } from '@trackway/contract/operations.ts';
import type { Call } from '@trackway/server/calls.ts';
import type { Store } from '@trackway/server/domain/schema/tables.ts';
import { emailOf } from '@trackway/server/domain/users/accounts.ts';
import { Refusal } from '@trackway/server/platform/errors.ts';
import { Failure } from '../command.ts';

/** The operator acts as an admin without an account, so the rules of the API apply here too. */
export const asOperator = (call: Partial<Call>): Call =>
  ({
    caller: { userId: 0, admin: true, tokenId: 0, signedInAt: Date.now() },
    sent: {},
    now: Date.now(),
    ...call,
  }) as Call;

/** Validates the fields of a new or changed user as the API does. */
export function acceptUser(mode: 'create' | 'update', fields: Record<string, unknown>): Record<string, unknown> {
  const { noun } = OPERATIONS[mode === 'create' ? 'createUser' : 'updateUser'].body!;
  const { values, violations } = accept(noun, mode, fields);
  if (violations.length > 0) {
    throw new Failure(violations.map(({ field, message }) => `The ${field} ${message}.`).join('\n'));
  }
  return values;
}

/** Converts an error of the API to a message for the operator. */
export async function refusalAsFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { messages } = (error.details ?? {}) as { messages?: Record<string, string[]> };
    const sentences = Object.entries(messages ?? {}).map(([field, [message]]) => `${subject(field)} ${message}.`);
    throw new Failure(sentences.join('\n') || error.message, { cause: error });
  }
}

const subject = (field: string) => (field === 'id' ? 'The user' : `The ${field}`);

export async function findUser(store: Store, email: string): Promise<{ id: number; email: string }> {
  const address = await refusalAsFailure(async () => emailOf(email));
  const user = await store.query
    .selectFrom('users')
    .select(['id', 'email'])
    .where('email', '=', address)
    .executeTakeFirst();
  if (user === undefined) throw new Failure(`User ${address} not found. To list users, run "trackway user list".`);
  return user;
}
