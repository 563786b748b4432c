import type { AnswerOf, OperationName } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from '../calls.ts';

export type Rule = AnswerOf<'getRule'>;

const ALL: OperationName[] = ['listRules', 'getRule', 'listNotificationTriggers', 'getNotificationTrigger'];

export const useRules = (options?: ReadOptions) =>
  useRead('listRules', { id: 'me', filter: { order: ['name ASC', 'id ASC'] } }, options);
export const useRule = (fk: number, options?: ReadOptions) => useRead('getRule', { id: 'me', fk }, options);
export const useCreateRule = () => useChange('createRule', ALL);
export const useUpdateRule = () => useChange('updateRule', ALL);
export const useDeleteRule = () => useChange('deleteRule', ['listRules', 'listNotificationTriggers']);
