import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useChange, useRead } from '../calls.ts';

export type ServiceToken = AnswerOf<'listServiceTokens'>[number];

export const useCreateServiceAccount = () => useChange('createServiceAccount', ['listUsers', 'countUsers']);
export const useServiceTokens = (id: number) => useRead('listServiceTokens', { id });
export const useCreateServiceToken = () => useChange('createServiceToken', ['listServiceTokens']);
export const useDeleteServiceToken = () => useChange('deleteServiceToken', ['listServiceTokens']);
