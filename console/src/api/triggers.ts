import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type Trigger = AnswerOf<'getNotificationTrigger'>;

const ALL = ['listNotificationTriggers', 'countNotificationTriggers', 'getNotificationTrigger'] as const;

export const useTriggers = (deviceId: number, options?: ReadOptions) =>
  useRead('listNotificationTriggers', { id: deviceId }, options);
export const useCreateTrigger = () => useChange('createNotificationTrigger', ALL);
export const useUpdateTrigger = () => useChange('updateNotificationTrigger', ALL);
export const useDeleteTrigger = () => useChange('deleteNotificationTrigger', ALL);
