import type { Filter } from '@trackway/contract/operation.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from '../calls.ts';
import { useSession } from '../session.ts';

export type User = AnswerOf<'getUser'>;
export type PersonalAccessToken = AnswerOf<'listPersonalAccessTokens'>['tokens'][number];

/** The signed-in user. */
export const useMe = () => {
  const { session } = useSession();
  return useRead('getUser', { id: 'me' }, { enabled: session !== undefined, staleTime: 60_000 });
};
export const useUsers = (filter: Filter = {}, options?: ReadOptions) => useRead('listUsers', { filter }, options);
export const useUser = (id: number, options?: ReadOptions) => useRead('getUser', { id }, options);
const ALL = ['listUsers', 'countUsers', 'getUser'] as const;
export const useCreateUser = () => useChange('createUser', ALL);
export const useUpdateUser = () => useChange('updateUser', ALL);
export const useDeleteUser = () => useChange('deleteUser', ['listUsers', 'countUsers']);
export const useChangePassword = () => useChange('changePassword');

export const useTokens = (page: number, limit: number, options?: ReadOptions) =>
  useRead('listPersonalAccessTokens', { page, limit }, options);
const TOKENS = ['listPersonalAccessTokens', 'listSessions'] as const;
export const useCreateToken = () => useChange('createPersonalAccessToken', TOKENS);
export const useDeleteToken = () => useChange('deletePersonalAccessToken', TOKENS);

export type Session = AnswerOf<'listSessions'>[number];
export const useSessions = (id: number) => useRead('listSessions', { id });
export const useEndSession = () => useChange('endSession', TOKENS);
export const useEndSessions = () => useChange('endSessions', TOKENS);
