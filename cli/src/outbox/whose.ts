import { ApiError } from '@trackway/client/api-error.ts';
import { type Flags, type Given, UsageError } from '../command.ts';
import { connectionFlags } from '../connection.ts';

export const outboxFlags: Flags = {
  user: { about: 'Whose; admins may name anyone. [me]', takes: 'ID' },
  ...connectionFlags,
};

export const whose = ({ flags }: Given) => flags.user ?? 'me';

export function idOf(word: string): number {
  if (!/^[1-9]\d{0,15}$/.test(word)) throw new UsageError(`${JSON.stringify(word)} is no id.`);
  return Number(word);
}

/** What only an admin can ask, or else what anyone can. */
export async function asAdminOr<T>(asAdmin: () => Promise<T>, asUser: () => Promise<T>): Promise<T> {
  try {
    return await asAdmin();
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return asUser();
    throw error;
  }
}
