import { ApiError } from '@trackway/client/api-error.ts';
import { type Flags, type Given, UsageError } from '../command.ts';
import { connectionFlags } from '../connection.ts';

export const outboxFlags: Flags = {
  user: { about: 'Id of the user. Only admins can name another user. [default: me]', takes: 'ID' },
  ...connectionFlags,
};

export const userOf = ({ flags }: Given) => flags.user ?? 'me';

export function idOf(word: string): number {
  if (!/^[1-9]\d{0,15}$/.test(word)) throw new UsageError(`${JSON.stringify(word)} is not an id.`);
  return Number(word);
}

/** Tries the operation for admins first, and falls back to the one for users if access is denied. */
export async function asAdminOr<T>(asAdmin: () => Promise<T>, asUser: () => Promise<T>): Promise<T> {
  try {
    return await asAdmin();
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return asUser();
    throw error;
  }
}
